import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import type { Bus } from "@hookline/core";
import { guardClaudeAgent } from "@hookline/core/adapters/claude-agent-sdk";
import { z } from "zod";

interface FakeModel extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly string[];
}
type Start = (options: { scripts: { main: { tool: string; input: { command: string } }[][] } }) => Promise<FakeModel>;

export async function play(bus: Bus, calls: readonly { readonly command: string }[], startFakeModel: Start) {
  const ran: string[] = [];
  const shell = tool("shell", "runs a command", { command: z.string() }, async ({ command }) => {
    ran.push(command);
    return { content: [{ type: "text", text: `ran ${command}` }] };
  });
  const main = calls.map(({ command }) => [{ tool: "mcp__local__shell", input: { command } }]);
  await using model = await startFakeModel({ scripts: { main } });
  const home = mkdtempSync(join(tmpdir(), "hookline-claude-"));
  const guard = guardClaudeAgent(bus);
  try {
    const messages = query({
      prompt: "please do script:main",
      options: {
        cwd: home,
        settingSources: [],
        env: {
          PATH: process.env.PATH,
          HOME: home,
          ANTHROPIC_BASE_URL: model.url,
          ANTHROPIC_API_KEY: "none",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
        },
        mcpServers: { local: createSdkMcpServer({ name: "local", version: "1.0.0", tools: [shell] }) },
        allowedTools: ["mcp__local__shell"],
        hooks: guard.hooks(),
      },
    });
    for await (const _ of guard.observe(messages));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return { ran, told: model.requests.join("\n") };
}
