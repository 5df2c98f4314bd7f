import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decisionAbout, rewritten } from "../../../../../test/support/agent-decision.js";
import type { AgentDecision, Translated } from "../shared/definition.js";
import { type CodexEvent, events } from "./events.js";
import { reply } from "./reply.js";
import { translate } from "./translate.js";

type Payloads = { readonly [name: string]: { readonly [key: string]: unknown } };
const fixture = (name: string): Payloads => JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
const sent = fixture("captured");
const names = Object.keys(events) as CodexEvent[];
const NOTHING = { stdout: "", stderr: "", exitCode: 0 };

const asked = (name: string): Translated => translate(name, sent[name]);
const say = (name: string, over: Partial<AgentDecision>) => reply(name, decisionAbout(asked(name), over), asked(name));
const specific = (hookEventName: string, fields: object) => JSON.stringify({ hookSpecificOutput: { hookEventName, ...fields } });
const no = (reason: string) => ({ stdout: "", stderr: `${reason}\n`, exitCode: 2 });

describe("nothing to say", () => {
  test.each(names)("%s: pass prints nothing", (name) => expect(say(name, {})).toEqual(NOTHING));
  test("an unknown event prints nothing", () => expect(say("SomethingNew", { verdict: "deny", reason: "no" })).toEqual(NOTHING));
  test("Codex reads an allow only when it asks", () => {
    const loud = names.filter((name) => say(name, { verdict: "allow", reason: "ok" }).stdout !== "");
    expect(loud).toEqual(["PermissionRequest"]);
  });
});

describe("PreToolUse", () => {
  test("deny is the exit code and a reason, also to end the loop", () => {
    expect(say("PreToolUse", { verdict: "deny", reason: "not here" })).toEqual(no("not here"));
    expect(say("PreToolUse", { verdict: "deny", reason: "not here", endLoop: true })).toEqual(no("not here"));
    expect(say("PreToolUse", { verdict: "deny", reason: "no", injections: ["try x"] })).toEqual(no("no\n\ntry x"));
  });

  test("a deny always has a reason: without one Codex runs the tool", () => {
    for (const reason of [undefined, "", " \n\t"]) expect(say("PreToolUse", { verdict: "deny", reason }).stderr.trim()).not.toBe("");
  });

  test("an unanswered ask is a deny: Codex cannot ask", () => {
    expect(say("PreToolUse", { verdict: "ask", reason: "sure?" })).toEqual(no("sure?"));
  });

  test("a rewrite goes beside an allow, which skips no prompt here", () => {
    const about = asked("PreToolUse");
    for (const verdict of ["pass", "allow"] as const)
      expect(reply("PreToolUse", rewritten(about, { command: "echo safe" }, { verdict, injections: ["so"] }), about)).toEqual({
        ...NOTHING,
        stdout: specific("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "echo safe" }, additionalContext: "so" }),
      });
    expect(say("PreToolUse", { injections: ["a"] }).stdout).toBe(specific("PreToolUse", { additionalContext: "a" }));
  });

  test("of a shell only the command can be rewritten; more is refused, not dropped", () => {
    const about = asked("PreToolUse");
    for (const input of [{ command: "echo", workdir: "/" }, { command: 5 }, {}, { command: "echo", path: "/" }])
      expect(reply("PreToolUse", rewritten(about, input, { verdict: "allow" }), about)).toMatchObject({ stdout: "", exitCode: 2 });
  });

  test("a patch goes back without the paths that were added, and with nothing but them changed it is refused", () => {
    const about = translate("PreToolUse", { ...sent.PreToolUse, tool_name: "apply_patch", tool_input: { command: "*** Add File: a\n+1" } });
    const { input } = about.payload.tool as { input: object };
    const { stdout } = reply("PreToolUse", rewritten(about, { ...input, command: "*** Add File: a\n+2" }), about);
    expect(JSON.parse(stdout).hookSpecificOutput.updatedInput).toEqual({ command: "*** Add File: a\n+2" });
    expect(reply("PreToolUse", rewritten(about, { ...input, path: "b" }), about)).toMatchObject({ exitCode: 2 });
  });

  test("any other tool takes its whole input", () => {
    const about = translate("PreToolUse", fixture("tools").view_image);
    expect(reply("PreToolUse", rewritten(about, { path: "/srv/b.png" }), about).stdout).toContain('"updatedInput":{"path":"/srv/b.png"}');
  });
});

describe("the others", () => {
  test("PermissionRequest: allow, deny, and ask is what Codex does", () => {
    expect(say("PermissionRequest", { verdict: "allow" })).toEqual({
      ...NOTHING,
      stdout: specific("PermissionRequest", { decision: { behavior: "allow" } }),
    });
    expect(say("PermissionRequest", { verdict: "deny", reason: "no" })).toEqual(no("no"));
    expect(say("PermissionRequest", { verdict: "ask", reason: "sure?" })).toEqual(NOTHING);
    const about = asked("PermissionRequest");
    const other = { command: "echo", description: "please" };
    expect(reply("PermissionRequest", rewritten(about, other, { verdict: "allow" }), about)).toMatchObject({ stdout: "", exitCode: 2 });
  });

  test("UserPromptSubmit: deny, context, and a rewrite that is not accepted", () => {
    expect(say("UserPromptSubmit", { verdict: "deny", reason: "no" })).toEqual(no("no"));
    expect(say("UserPromptSubmit", { injections: ["a", "b"] }).stdout).toBe(specific("UserPromptSubmit", { additionalContext: "a\n\nb" }));
    const about = asked("UserPromptSubmit");
    const payload = { ...about.payload, prompt: "other" };
    expect(reply("UserPromptSubmit", decisionAbout(about, { modified: true, payload }), about)).toMatchObject({ stdout: "", exitCode: 2 });
  });

  test("PreCompact: exit code 2 has no effect, so the turn is stopped", () => {
    expect(say("PreCompact", { verdict: "deny", reason: "no" })).toEqual({ ...NOTHING, stdout: '{"continue":false,"stopReason":"no"}' });
  });

  test("Stop continues on request, and cannot be denied", () => {
    expect(say("Stop", { again: { reason: "run the tests", by: "r" } })).toEqual(no("run the tests"));
    expect(say("Stop", { verdict: "deny", reason: "no", injections: ["x"] })).toEqual(NOTHING);
  });

  test("an event that cannot be blocked passes a deny to the model, if it accepts text", () => {
    for (const name of names) {
      if (events[name].can.includes("block") || name === "Stop") continue;
      const told = { ...NOTHING, stdout: specific(name, { additionalContext: "no\n\nmore" }) };
      const heard = say(name, { verdict: "deny", reason: "no", injections: ["more"] });
      expect(heard).toEqual(events[name].can.includes("inject") ? told : NOTHING);
    }
  });
});
