import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decisionAbout, rewritten } from "../../../../../test/support/agent-decision.js";
import type { AgentDecision, Translated } from "../shared/definition.js";
import { type ClaudeEvent, events } from "./events.js";
import { reply } from "./reply.js";
import { translate } from "./translate.js";

type Payloads = { readonly [name: string]: { readonly [key: string]: unknown } };
const fixture = (name: string): Payloads => JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
const sent: Payloads = { ...fixture("captured"), ...fixture("from-schema"), ...fixture("tools") };
const names = Object.keys(events) as ClaudeEvent[];
const NOTHING = { stdout: "", stderr: "", exitCode: 0 };

const asked = (name: string): Translated => translate(name, sent[name]);
const say = (name: string, over: Partial<AgentDecision>) => reply(name, decisionAbout(asked(name), over), asked(name));
const specific = (hookEventName: string, fields: object) => JSON.stringify({ hookSpecificOutput: { hookEventName, ...fields } });

describe("nothing to say", () => {
  test.each(names)("%s: pass prints nothing", (name) => expect(say(name, {})).toEqual(NOTHING));
  test("an unknown event prints nothing", () => expect(say("SomethingNew", { verdict: "deny", reason: "no" })).toEqual(NOTHING));
  test("an allow prints nothing at events that do not accept it", () => {
    const loud = names.filter((name) => say(name, { verdict: "allow", reason: "ok" }).stdout !== "");
    expect(loud).toEqual(["PreToolUse", "PermissionRequest"]);
  });
});

describe("PreToolUse", () => {
  test("deny: in a document and by exit code", () => {
    expect(say("PreToolUse", { verdict: "deny", reason: "not here" })).toEqual({
      stdout: specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "not here" }),
      stderr: "not here\n",
      exitCode: 2,
    });
    for (const reason of [undefined, "", " \n"])
      expect(say("PreToolUse", { verdict: "deny", reason }).stderr).toMatch(/^Denied by a Hookline rule/);
  });

  test("deny that ends the loop stops the agent too; nothing else does", () => {
    const { stdout, exitCode } = say("PreToolUse", { verdict: "deny", reason: "enough", endLoop: true });
    expect(JSON.parse(stdout)).toEqual({
      continue: false,
      stopReason: "enough",
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "enough" },
    });
    expect(exitCode).toBe(2);
    expect(say("PreToolUse", { endLoop: true })).toEqual(NOTHING);
  });

  test("allow, ask and context", () => {
    expect(say("PreToolUse", { verdict: "allow" }).stdout).toBe(specific("PreToolUse", { permissionDecision: "allow" }));
    expect(say("PreToolUse", { verdict: "ask", reason: "sure?" }).stdout).toBe(
      specific("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    );
    expect(say("PreToolUse", { injections: ["one", " ", "two"] })).toEqual({
      ...NOTHING,
      stdout: specific("PreToolUse", { additionalContext: "one\n\ntwo" }),
    });
    const { stdout } = say("PreToolUse", { verdict: "deny", reason: "no", injections: ["try x"] });
    expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({ permissionDecision: "deny", additionalContext: "try x" });
  });

  test("a rewrite skips a prompt only with an allow", () => {
    const about = asked("PreToolUse");
    const input = { command: "echo safe" };
    expect(reply("PreToolUse", rewritten(about, input), about).stdout).toBe(specific("PreToolUse", { updatedInput: input }));
    expect(reply("PreToolUse", rewritten(about, input, { verdict: "allow" }), about).stdout).toBe(
      specific("PreToolUse", { permissionDecision: "allow", updatedInput: input }),
    );
    expect(reply("PreToolUse", rewritten(about, { command: "echo hi" }), about)).toEqual(NOTHING);
    expect(reply("PreToolUse", rewritten(about, input, { verdict: "deny", reason: "no" }), about).stdout).not.toContain("updatedInput");
  });

  test("a rewritten path goes back under the tool's own name", () => {
    const about = translate("PreToolUse", sent.Read);
    const other = { path: "/srv/b", file_path: "/srv/b" };
    expect(reply("PreToolUse", rewritten(about, other), about).stdout).toBe(
      specific("PreToolUse", { updatedInput: { file_path: "/srv/b" } }),
    );
    expect(reply("PreToolUse", rewritten(about, { file_path: "/srv/b" }), about).stdout).toContain('"updatedInput":{"file_path":"/srv/b"}');
  });

  test("refuses two differing fields with the same meaning, another tool, and an input that is not an object", () => {
    const about = translate("PreToolUse", sent.Read);
    for (const input of [
      { path: "/srv/b", file_path: "/srv/project/a.txt" },
      { path: "/srv/project/a.txt", file_path: "/etc/passwd" },
    ])
      expect(reply("PreToolUse", rewritten(about, input, { verdict: "allow" }), about)).toMatchObject({ exitCode: 2 });
    const payload = { ...about.payload, tool: { name: "Bash", input: { command: "x" } } };
    expect(reply("PreToolUse", decisionAbout(about, { modified: true, payload }), about)).toMatchObject({ exitCode: 2 });
    expect(reply("PreToolUse", decisionAbout(about, { modified: true, payload: 5 }), about)).toMatchObject({ exitCode: 2 });
    const odd = translate("PreToolUse", { ...sent.PreToolUse, tool_input: "text" });
    expect(reply("PreToolUse", rewritten(odd, { value: "other" }), odd)).toMatchObject({ exitCode: 2 });
  });
});

describe("PermissionRequest", () => {
  const answered = (over: Partial<AgentDecision>) => say("PermissionRequest", over);
  const decision = (fields: object) => ({ ...NOTHING, stdout: specific("PermissionRequest", { decision: fields }) });

  test("allow, deny, and the end of the loop", () => {
    expect(answered({ verdict: "allow" })).toEqual(decision({ behavior: "allow" }));
    expect(answered({ verdict: "deny", reason: "no" })).toEqual(decision({ behavior: "deny", message: "no" }));
    expect(answered({ verdict: "deny", reason: "no", endLoop: true })).toEqual(
      decision({ behavior: "deny", message: "no", interrupt: true }),
    );
  });

  test("ask leaves it to the dialog", () => expect(answered({ verdict: "ask", reason: "sure?" })).toEqual(NOTHING));

  test("a rewrite is sent with an allow, and refused without", () => {
    const about = asked("PermissionRequest");
    const input = { command: "echo safe" };
    expect(reply("PermissionRequest", rewritten(about, input, { verdict: "allow" }), about)).toEqual(
      decision({ behavior: "allow", updatedInput: input }),
    );
    for (const verdict of ["pass", "ask"] as const)
      expect(reply("PermissionRequest", rewritten(about, input, { verdict }), about).stdout).toContain('"behavior":"deny"');
  });
});

describe("prompts, commands, compaction", () => {
  const blockable = ["UserPromptSubmit", "UserPromptExpansion", "PreCompact"];
  test.each(blockable)("%s: deny, and an unanswered ask", (name) => {
    for (const verdict of ["deny", "ask"] as const)
      expect(say(name, { verdict, reason: "no" })).toEqual({
        stdout: JSON.stringify({ decision: "block", reason: "no" }),
        stderr: "no\n",
        exitCode: 2,
      });
  });

  test("a rewritten text is not accepted, so it is denied", () => {
    for (const [name, field] of [
      ["UserPromptSubmit", "prompt"],
      ["UserPromptExpansion", "args"],
      ["PreCompact", "instructions"],
    ] as const) {
      const about = asked(name);
      expect(reply(name, decisionAbout(about, { modified: true, payload: { ...about.payload, [field]: "other" } }), about)).toMatchObject({
        exitCode: 2,
      });
      expect(reply(name, decisionAbout(about, { modified: true, payload: { ...about.payload, note: 1 } }), about)).toEqual(NOTHING);
    }
  });

  test("context: in a document, and for a compaction as plain text", () => {
    expect(say("UserPromptSubmit", { injections: ["a"] })).toEqual({
      ...NOTHING,
      stdout: specific("UserPromptSubmit", { additionalContext: "a" }),
    });
    expect(say("PreCompact", { injections: ["keep the plan"] })).toEqual({ ...NOTHING, stdout: "keep the plan" });
    expect(say("PreCompact", { injections: ['{"continue":false}'] }).stdout).toBe('Note: {"continue":false}');
  });
});

describe("the rest", () => {
  test("Stop continues on request, and cannot be denied", () => {
    expect(say("Stop", { again: { reason: "run the tests", by: "r" } })).toEqual({
      stdout: JSON.stringify({ decision: "block", reason: "run the tests" }),
      stderr: "run the tests\n",
      exitCode: 2,
    });
    expect(say("Stop", { again: { reason: undefined, by: "r" } }).stderr).toBe("Not finished yet: continue.\n");
    expect(say("Stop", { verdict: "deny", reason: "no", injections: ["x"] })).toEqual(NOTHING);
  });

  test("an event that cannot be blocked passes a deny to the model, if it accepts text", () => {
    for (const name of names) {
      if (events[name].can.includes("block") || name === "Stop") continue;
      const heard = say(name, { verdict: "deny", reason: "no", injections: ["more"] });
      const told = { ...NOTHING, stdout: specific(name, { additionalContext: "no\n\nmore" }) };
      expect(heard).toEqual(events[name].can.includes("inject") ? told : NOTHING);
    }
  });
});
