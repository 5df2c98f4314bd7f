import { expect, it } from "vitest";
import { events } from "./events.js";
import { hookEntries, settingsPath } from "./install.js";

const options = { command: (event: string) => `run ${event}`, timeoutSeconds: () => 600 };

it("has an entry for each event that reports something new", () => {
  const silent = Object.entries(events).flatMap(([name, row]) => ("leftAlone" in row ? [name] : []));
  expect(Object.keys(hookEntries(options))).toEqual(Object.keys(events).filter((name) => !silent.includes(name)));
  expect(hookEntries(options).preToolUse).toEqual([{ command: "run preToolUse", timeout: 600 }]);
});

it("lets a failing hook deny, where it may and if that is wanted", () => {
  const entries = hookEntries({ ...options, strict: true });
  const closed = Object.entries(entries).flatMap(([name, [entry]]) => (entry.failClosed === true ? [name] : []));
  expect(closed).toEqual(["beforeSubmitPrompt", "preToolUse", "subagentStart"]);
});

it("is in the home folder or in the project", () => {
  expect(settingsPath("user", { HOME: "/home/dev" }, "/srv")).toBe("/home/dev/.cursor/hooks.json");
  expect(settingsPath("project", { HOME: "/home/dev" }, "/srv")).toBe("/srv/.cursor/hooks.json");
});
