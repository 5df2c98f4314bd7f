import { expect, it } from "vitest";
import { agents } from "../../packages/hookline/src/agents/agents.ts";
import type { AgentDefinition } from "../../packages/hookline/src/agents/shared/definition.ts";
import { attachedAgent } from "../support/attached-agent.ts";
import { extensionJson, hookYaml } from "../support/hook-files.ts";

const answers = `const answers = {
  error: () => new Error("policy server down"),
  undefined: () => ({ allowed: undefined }),
  thenable: () => ({ then: (resolve) => resolve({ decision: "deny", reason: "not here" }) }),
  response: () => new Response(null, { status: 403 }),
  map: () => new Map([["decision", "deny"]]),
  false: () => false,
  pass: () => undefined,
};\n`;

const sdk = new URL("../../packages/core/dist/extension/index.js", import.meta.url).href;
const files = {
  "module.mjs": `${answers}export const handle = ({ payload }) => answers[payload.tool.input.command.split(" ")[1]]();\n`,
  "hooks/folder/HOOK.yaml": hookYaml("folder", `onFailure: closed\nmatch: "tool.input.command contains 'folder'"\n`),
  "hooks/folder/handler.mjs": `${answers}export const handle = (type, { tool }) => answers[tool.input.command.split(" ")[1]]();\n`,
  "hooks/process/extension.json": extensionJson("process", {
    hooks: [{ event: "tool:before", onFailure: "closed", match: "tool.input.command contains 'process'" }],
  }),
  "hooks/process/main.mjs": `${answers}import { runExtension } from ${JSON.stringify(sdk)};
runExtension({ name: "process", hooks: { "tool:before": ({ payload }) => answers[payload.tool.input.command.split(" ")[1]]() } });\n`,
};
const toml = `[[hook]]\nname = "module"\nmodule = "module.mjs"\nevent = "tool:before"\nmatch = "tool.input.command contains 'module'"\n`;

it("keeps a call of Claude Code from running, whatever a closed guard outside the process returns in place of a yes", async () => {
  const claudeCode = agents.find(({ id }) => id === "claude-code") as AgentDefinition;
  const { play } = await attachedAgent(claudeCode, true, { toml, files });
  const answer = async (command: string) => {
    const call = { session_id: "s1", cwd: "/srv", tool_use_id: "t1", tool_name: "Bash", tool_input: { command } };
    const { exitCode, stderr } = await play("PreToolUse", JSON.stringify(call));
    return `${exitCode} ${stderr}`;
  };
  for (const way of ["module", "folder", "process"]) {
    expect(await answer(`${way} pass`)).toBe("0 ");
    expect(await answer(`${way} error`)).toMatch(/^2 .*returned an error instead of throwing it: policy server down/);
    expect(await answer(`${way} undefined`)).toMatch(/^2 .*"allowed" is undefined/);
    expect(await answer(`${way} thenable`)).toMatch(/^2 Hookline denied this .*not here/);
    expect(await answer(`${way} response`)).toMatch(/^2 .*which is not an outcome/);
    expect(await answer(`${way} map`)).toMatch(/^2 .*which is not an outcome/);
    expect(await answer(`${way} false`)).toContain(`The hook "${way}" says no, and gives no reason.`);
  }
});
