import { expect, it } from "vitest";
import type { HandlerRow, HookSummary } from "../../api/answers.js";
import { factsOf, failureText } from "./handler-facts.js";

const hook: HookSummary = { id: "hooks/policy", name: "policy", kind: "folder", state: "active", path: "/x", from: "user", problems: [] };
const handler = { name: "policy", event: "command:*", stage: "guard", priority: 0, timeoutMs: 5_000, onFailure: "open" } as HandlerRow;

it("a hook's failure mode stands after its dialect, where that is not Hookline's own", () => {
  expect(failureText("open", { ...hook, dialect: "hermes" })).toBe("hermes, open: goes on");
  expect(failureText("closed", hook)).toBe("closed: denies");
  expect(failureText("closed")).toBe("closed: denies");
});

it("how a hook is read is among its facts", () => {
  const facts = Object.fromEntries(factsOf(handler, { ...hook, dialect: "hermes", remarks: ["It fails open."] }, "hour"));
  expect(facts).toMatchObject({ "On failure": "hermes, open: goes on", Remarks: "It fails open." });
});
