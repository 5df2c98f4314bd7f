import { join } from "node:path";
import { decodeEnvelope } from "@hookline/core/sinks";
import { startHub } from "hookline/hub";
import { expect, it } from "vitest";
import { nativePayload } from "../../../../../test/support/native-payloads.js";
import { testFolder } from "../../../../../test/support/test-folder.js";

it("stores what it answered a moment before it closes, in order", async () => {
  const folder = testFolder();
  const places = { state: join(folder, "state"), runtime: join(folder, "run"), port: 0, onProblem: () => {} };
  const hub = await startHub(places);
  const dialect = hub.parts.agents.find("claude-code");
  if (dialect === undefined) throw new Error("The hub does not know Claude Code.");
  const { signal } = new AbortController();
  for (const native of ["UserPromptSubmit", "PreToolUse", "PostToolUse"])
    await hub.parts.agents.answer({ dialect, native, payload: nativePayload("claude-code", native) }, signal);
  await hub.close();
  const next = await startHub(places);
  const { events } = await next.parts.store.page({}, { limit: 100 });
  await next.close();
  const names = events.map(({ body }) => decodeEnvelope(body).event).filter((event) => /^(prompt|tool):/.test(event));
  expect(names.reverse()).toEqual(["prompt:submit", "tool:before", "tool:after"]);
});
