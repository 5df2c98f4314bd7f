import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type CliHome, createCliHome } from "../support/cli-home.ts";

export const MAIN = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));

export function program(name: string): string {
  return fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
}

/** A home with a hub, and clients of the real SDK whose servers are behind the gateway. */
export class McpHome {
  readonly cli: CliHome = createCliHome();
  readonly files: string = join(this.cli.folder, "files");
  readonly #clients: Client[] = [];

  /** Starts a hub with these rules. */
  async up(rules = ""): Promise<void> {
    this.cli.write(join("config", "hookline", "hookline.toml"), rules);
    const { code, err } = await this.cli.run("up", "--detach", "--port", "0");
    if (code !== 0) throw new Error(err);
  }

  /** A client whose server is behind `hookline mcp wrap`. */
  wrapped({ name = "files", command = [process.execPath, program("files-server"), this.files] } = {}, client = new McpClient()) {
    return this.connect(["mcp", "wrap", "--name", name, "--", ...command], client);
  }

  /** A client that starts this command of Hookline as its server. */
  async connect(
    args: readonly string[],
    client: Client = new McpClient(),
    env: NodeJS.ProcessEnv = {},
  ): Promise<Client & { errors: string }> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, ...args],
      env: { ...(this.cli.env as Record<string, string>), ...(env as Record<string, string>) },
      stderr: "pipe",
    });
    const errors: string[] = [];
    transport.stderr?.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
    await client.connect(transport);
    this.#clients.push(client);
    Object.defineProperty(client, "errors", { get: () => errors.join("") });
    return client as Client & { errors: string };
  }

  /** Runs a command and gives what it printed as JSON. */
  async json<T>(...args: readonly string[]): Promise<T> {
    const { code, out, err } = await this.cli.run(...args, "--json");
    if (code !== 0) throw new Error(err);
    return JSON.parse(out) as T;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.cli.close();
  }
}

/** A client with a model and a person that answer at once. */
export class McpClient extends Client {
  constructor(name = "test-client") {
    super({ name, version: "1" }, { capabilities: { sampling: {}, elicitation: {}, roots: {} } });
  }
}

export function textOf(result: unknown): string {
  const { content } = result as { readonly content: readonly { readonly text?: string }[] };
  return content.map(({ text }) => text ?? "").join("\n");
}

export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(30);
  }
}
