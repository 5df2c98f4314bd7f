import { expect, it } from "vitest";
import { runsOf } from "./trail-runs.js";
import { wantedBy } from "./unmatched.js";

const row = (name: string, more: object) => ({ name, event: "tool:before", ...more }) as never;
const step = (name: string, more: object = {}, action = "no-match") => ({
  actor: { kind: "guard", name, ...more } as const,
  stage: "guard",
  round: 0,
  action,
});
const event = { event: "tool:before", source: { app: "a", host: "", pid: 7, instance: "i" } } as never;

it("says what a handler wanted to see, by where it is registered, and nothing of one that is gone", () => {
  const registered = {
    inHub: [
      row("rule", { owner: "rules", event: "prompt:submit", match: "*" }),
      row("rule", { owner: "rules", match: "tool.name == 'bash'" }),
    ],
    inProcess: [
      row("rule", { owner: "rules", match: "of the process" }),
      row("late", { match: "function isLate" }),
      row("files", { tool: ["Edit", "Write"], match: "x".repeat(400) }),
    ],
  };
  const wanted = (name: string, more?: object) => wantedBy(step(name, more), event, registered);
  expect(wanted("rule", { owner: "rules", at: "hub" })).toEqual({ code: "tool.name == 'bash'" });
  expect(wanted("rule", { owner: "rules" })).toEqual({ code: "of the process" });
  expect(wanted("late")).toEqual({ words: "its matcher said no" });
  expect(wanted("files").code).toMatch(/^tool Edit, Write and x+…$/);
  expect([wanted("rule"), wanted("gone"), wanted("late", { at: "hub" })]).toEqual([{}, {}, {}]);
});

it("puts what did not match together, in its place", () => {
  const [a, b, c, d] = [step("a"), step("b"), step("c", {}, "deny"), step("d")];
  expect(runsOf([a, b, c, d, step("e", { at: "hub" })] as never).map((run) => run.map(({ actor }) => actor.name))).toEqual([
    ["a", "b"],
    ["c"],
    ["d"],
    ["e"],
  ]);
});
