import type { Decision } from "@hookline/core";
import { HookError } from "@hookline/core";
import { expect, it } from "vitest";
import { denialText } from "./denial-text.js";

const text = (decision: Partial<Decision>) => denialText(decision as Decision, "0mwo3e6tabcdefghijk", "npx hookline");

it("names Hookline, who said no, why, and a command that shows the rest", () => {
  const details = "Details: npx hookline show 0mwo3e6tabcd";
  expect(text({ actor: { kind: "rule", name: "destructive-shell/rm" }, reason: "It deletes your home folder" })).toBe(
    `Hookline denied this (rule destructive-shell/rm): It deletes your home folder. ${details}`,
  );
  expect(text({ actor: { kind: "person", name: "Ann" }, reason: "Not on a Friday." })).toBe(
    `Hookline asked Ann, who said no: Not on a Friday. ${details}`,
  );
  expect(text({ actor: { kind: "hook", name: "x" } })).toBe(`Hookline denied this (hook x): It gave no reason. ${details}`);
  const cause = new HookError("HL_TIMEOUT", "late");
  expect(text({ actor: { kind: "hook", name: "x" }, reason: 'Handler "x" did not answer within 5 ms.', cause })).toBe(
    `Hookline denied this: Handler "x" did not answer within 5 ms. ${details}`,
  );
});
