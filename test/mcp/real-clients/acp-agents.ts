import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { startFakeModel } from "../../agents/fake-model/fake-model.ts";
import { main, type Stage } from "../../agents/stage.ts";

/** How a program is started as an ACP agent that asks before it runs a command. */
export interface AcpAgent {
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** It tells the command in texts for people alone, so a rule cannot allow it. */
  readonly isByTitle?: true;
}

export const acpAgents: { readonly [id: string]: AcpAgent } = {
  gemini: { args: ["--acp", "-m", "gemini-2.5-flash"], isByTitle: true },
  qwen: { args: ["--acp"] },
  goose: { args: ["acp"], env: { GOOSE_MODE: "approve" } },
  opencode: { args: ["acp"], env: { OPENCODE_PERMISSION: '{"bash":"ask"}' } },
  kimi: { args: ["acp"], isByTitle: true },
};

/** Gives the agent behind `hookline acp` one prompt for each command, as an editor that rejects all that reaches it. Gives the commands that did. */
export async function promptAll(stage: Stage, agent: AcpAgent, commands: readonly string[]): Promise<readonly string[]> {
  const { driver } = stage;
  const scripts = Object.fromEntries(commands.map((command, index) => [`step${index}`, [[driver.shell(command)]]]));
  await using model = await startFakeModel({ scripts });
  driver.prepare?.(stage.home, model.url);
  const child = spawn(process.execPath, [main, "acp", "--name", driver.id, "--", driver.program, ...agent.args], {
    env: { ...stage.env, ...driver.env(model.url), ...agent.env },
    cwd: stage.project,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const asked: string[] = [];
  let current = "";
  const editor = client({ name: "editor" })
    .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
      asked.push(current);
      const no = options.find(({ kind }) => kind === "reject_once");
      return { outcome: no === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: no.optionId } };
    })
    .onNotification(methods.client.session.update, () => {});
  try {
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    await editor.connectWith(stream, async (connection) => {
      await connection.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await connection.request(methods.agent.session.new, { cwd: stage.project, mcpServers: [] });
      for (const [index, command] of commands.entries()) {
        current = command;
        const prompt = [{ type: "text" as const, text: `Please do script:step${index}` }];
        await connection.request(methods.agent.session.prompt, { sessionId, prompt });
      }
    });
  } finally {
    child.kill("SIGTERM");
  }
  return asked;
}
