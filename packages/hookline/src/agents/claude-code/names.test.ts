import type { HookEvent } from "@hookline/core";
import { expect, it } from "vitest";
import { claudeName } from "../../extensions/command/dialects/claude-code.js";
import { events } from "./events.js";

it("calls every event in the dialect of its hooks as Claude Code does", () => {
  const wrong = Object.entries(events).filter(([native, { event }]) => {
    const payload = { raw: { hook_event_name: native }, ...(native === "PostToolUseFailure" && { status: "error" }) };
    return claudeName({ name: event.replace("*", "deploy"), payload } as unknown as HookEvent) !== native;
  });
  expect(wrong).toEqual([]);
});
