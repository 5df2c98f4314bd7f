import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { readAttached } from "../attach/attached.js";
import { applyAttach, oursOf, partPaths, planAttach } from "../attach/plan-attach.js";
import { applyEdit } from "../install/apply-edit.js";
import { planDetach } from "../install/plan-detach.js";
import { type AgentDecision, PASS } from "../shared/definition.js";
import { cline } from "./definition.js";

type Json = { readonly [key: string]: unknown };
const sent: { readonly [event: string]: Json } = JSON.parse(readFileSync(new URL("./fixtures/captured.json", import.meta.url), "utf8"));
const asked = (native: string) => cline.translate(native, sent[native]);
const call = (name: string, input: Json) => cline.translate("PreToolUse", { ...sent.PreToolUse, tool_call: { id: "c", name, input } });

it.each([
  ["PreToolUse", "tool:before", { tool: { name: "Bash", runtimeName: "run_commands", input: { command: "touch ran" } } }],
  ["PostToolUse", "tool:after", { status: "ok", tool: { callId: expect.stringMatching(/^call_/), output: [{ query: "touch ran" }] } }],
  ["TaskStart", "session:start", {}],
  ["TaskComplete", "finish:before", { message: expect.stringContaining("DONE") }],
])("%s becomes %s", (native, event, fields) => {
  const { event: found, payload } = asked(native);
  expect([found, payload]).toMatchObject([event, { session: { id: expect.any(String) }, cwd: "/srv/project", ...fields }]);
  expect(payload.agent).toEqual({ platform: "cline" });
});

it("shows guards all commands of a call, and all files that it reads", () => {
  expect(call("run_commands", { commands: ["ls", "rm -rf /"] }).payload.tool).toMatchObject({ input: { command: "ls\nrm -rf /" } });
  expect(call("read_files", { files: [{ path: "/a" }, { path: "/b" }] }).payload.tool).toMatchObject({ input: { paths: ["/a", "/b"] } });
});

it("cancels, rewrites the commands, and tells the model", () => {
  const one = asked("PreToolUse");
  const deny: AgentDecision = { ...PASS, verdict: "deny", reason: "no" };
  expect(JSON.parse(cline.reply("PreToolUse", deny, one).stdout)).toEqual({ cancel: true, errorMessage: "no" });
  const tool = one.payload.tool as Json & { readonly input: Json };
  const payload = { ...one.payload, tool: { ...tool, input: { ...tool.input, command: "ls" } } };
  const rewritten = cline.reply("PreToolUse", { ...PASS, modified: true, payload, injections: ["mind"] }, one);
  expect(JSON.parse(rewritten.stdout)).toEqual({ overrideInput: { commands: ["ls"] }, contextModification: "mind" });
});

it("has a file for each event, and leaves none behind", () => {
  const home = testFolder();
  const folder = join(home, "state", "attach");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const env = { HOME: home, PATH: process.env.PATH };
  const plan = planAttach({ agent: cline, target: "user", isStrict: false, env, folder, socket: join(home, "http.sock"), cwd: home });
  applyAttach(plan);
  const main = plan.edit.target.path;
  const files = readdirSync(dirname(main));
  expect(files).toHaveLength(1 + (cline.install.parts?.events.length ?? 0));
  expect(readFileSync(join(dirname(main), "TaskStart.sh"), "utf8")).toMatch(/^#!\/bin\/sh\n[\s\S]* TaskStart\b[^\n]*\n$/);
  expect(readAttached(folder)).toMatchObject([{ agent: "cline", path: main, state: "as written" }]);

  writeFileSync(join(dirname(main), "PostToolUse.sh"), "#!/bin/sh\n");
  expect(readAttached(folder)).toMatchObject([{ state: "changed" }]);
  writeFileSync(
    join(dirname(main), "PostToolUse.sh"),
    plan.parts.find(({ target }) => target.path.endsWith("PostToolUse.sh"))?.after ?? "",
  );

  const target = { agent: "cline", scope: "user", path: main } as const;
  for (const path of [...partPaths(cline, main), main]) applyEdit(folder, planDetach(folder, { ...target, path }, oursOf(cline, folder)));
  expect(existsSync(join(home, ".cline"))).toBe(false);
  expect(readAttached(folder)).toEqual([]);
});
