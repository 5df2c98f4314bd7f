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

it("what a rule has seen so far is among its facts", () => {
  const remembers = {
    condition: "20 times in 5m per session",
    rows: [
      { of: "session a", value: "20 of 20", isReached: true },
      { of: "session b", value: "3 of 20", isReached: false },
    ],
    more: 4,
  };
  const facts = Object.fromEntries(factsOf(handler, undefined, "hour", remembers));
  expect(facts).toMatchObject({ Acts: remembers.condition, "So far": "session a: 20 of 20, reached; session b: 3 of 20; 4 more" });
  const broken = { condition: "after x", rows: [], more: 0, problem: "It is damaged." };
  expect(Object.fromEntries(factsOf(handler, undefined, "hour", broken))).toMatchObject({ "So far": "It is damaged." });
});

it("how a hook is read is among its facts", () => {
  const facts = Object.fromEntries(factsOf(handler, { ...hook, dialect: "hermes", remarks: ["It fails open."] }, "hour"));
  expect(facts).toMatchObject({ "On failure": "hermes, open: goes on", Remarks: "It fails open." });
});
