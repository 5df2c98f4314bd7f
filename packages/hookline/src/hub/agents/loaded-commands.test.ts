import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startHub } from "hookline/hub";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { findAgent } from "../../agents/agents.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";

const files = {
  ".claude/skills/deploy/SKILL.md": "---\nname: ship-it\n---\nNow:\n\n!`touch skill-ran`\n",
  ".claude/skills/blocks/SKILL.md": "```!\nrm -rf build\nmake\n```\n",
  ".claude/skills/plain/SKILL.md": "Says `ls` and !important, and runs nothing.\n",
  ".claude/commands/release.md": "!`git push --force`\n",
};

it("asks a person before a skill is loaded that runs commands, and tells of those of a project", async () => {
  const home = testFolder();
  const project = join(home, "project");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  mkdirSync(join(project, ".git"));
  const config = join(home, "hookline.toml");
  writeFileSync(config, "");
  const hub = await startHub({ state: join(home, "state"), runtime: join(home, "run"), config, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const dialect = findAgent("claude-code") as AgentDefinition;
  const send = async (native: string, payload: object) =>
    (await hub.parts.agents.answer({ dialect, native, payload }, new AbortController().signal)).reply;
  const load = (skill: string, id: string) => {
    const tool = { name: "Skill", input: { skill }, more: { tool_use_id: id } };
    return send("PreToolUse", dialect.samples.call("PreToolUse", tool, { session: "s", cwd: join(project, "part") }));
  };

  for (const [skill, command, verdict] of [
    ["ship-it", "touch skill-ran", "deny"],
    ["deploy", "touch skill-ran", "allow"],
    ["blocks", "rm -rf build\\nmake", "deny"],
    ["release", "git push --force", "deny"],
    ["missing", "could not check them all", "deny"],
  ] as const) {
    const reply = load(skill, `${skill} ${verdict}`);
    await expect.poll(() => hub.parts.approvals.list().length).toBe(1);
    const [row] = hub.parts.approvals.list();
    expect(JSON.stringify(row?.reason)).toContain(command);
    hub.parts.approvals.answer(row?.id ?? "", { verdict, hash: row?.hash ?? "", by: "Ann" });
    expect((await reply).stdout).toContain(`"permissionDecision":"${verdict}"`);
  }
  expect(await load("plain", "5")).toMatchObject({ stdout: "", exitCode: 0 });

  await send("SessionStart", { session_id: "s", cwd: project, hook_event_name: "SessionStart", source: "startup" });
  await expect.poll(async () => (await hub.parts.store.counts(0))["notification:sent"]).toBe(1);
});
