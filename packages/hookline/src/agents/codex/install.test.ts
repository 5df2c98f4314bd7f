import { expect, test } from "vitest";
import { events } from "./events.js";
import { hookEntries, settingsPath } from "./install.js";

const command = (event: string) => `sh /state/attach/codex.sh ${event}`;

test("one command for each event, http never", () => {
  const entries = hookEntries({ command, timeoutSeconds: () => 60, http: { url: () => "http://127.0.0.1:1", headers: {} }, strict: true });
  expect(Object.keys(events).filter((name) => !(name in entries))).toEqual(["PreModelRequest"]);
  expect(entries.PreToolUse).toEqual([{ hooks: [{ type: "command", command: command("PreToolUse"), timeout: 60 }] }]);
  for (const groups of Object.values(entries)) expect(Object.keys(groups[0].hooks[0])).toEqual(["type", "command", "timeout"]);
});

test("no longer than Codex waits at an end", () => {
  const entries = hookEntries({ command, timeoutSeconds: () => 60 });
  expect([entries.SessionEnd, entries.Interrupt].map((groups) => groups?.[0].hooks[0].timeout)).toEqual([3, 3]);
});

test("where the hooks are", () => {
  expect(settingsPath("user", { HOME: "/h" }, "/p")).toBe("/h/.codex/hooks.json");
  expect(settingsPath("user", { HOME: "/h", CODEX_HOME: "/c" }, "/p")).toBe("/c/hooks.json");
  expect(settingsPath("project", {}, "/p")).toBe("/p/.codex/hooks.json");
});
