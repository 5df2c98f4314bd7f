import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type ClientKind, connectClient, type EraClient, type Place } from "./era-clients.ts";
import { MAIN, type McpHome, program, textOf, until } from "./mcp-home.ts";

export const SERVERS = ["legacy", "both", "modern"] as const;
type ServerKind = (typeof SERVERS)[number];
export const TRANSPORTS = ["stdio", "HTTP"] as const;
type TransportKind = (typeof TRANSPORTS)[number];

export const RULES = `
[[rule]]
name = "no-secret-files"
match = "tool.runtimeName == 'write_file' && tool.input.path contains 'secret'"
do = "block"
message = "No secret files."

[[rule]]
name = "one-folder"
match = "tool.runtimeName == 'read_file' && tool.input.path == 'old.txt'"
do = "modify"
set = { "tool.input.path" = "new.txt" }

[[rule]]
name = "hide-keys"
do = "replace"
find = 'key-\\d+'
with = "[key]"

[[rule]]
name = "no-notes"
match = "tool.runtimeName == 'resources/read' && tool.input.uri == 'note://forbidden'"
do = "block"
message = "No such notes."

[[rule]]
name = "no-prompt"
match = "tool.runtimeName == 'prompts/get' && tool.input.arguments.file == 'secret.ts'"
do = "block"
message = "No such prompt."
`;

export interface Pair {
  readonly client: ClientKind;
  readonly server: ServerKind;
  readonly transport: TransportKind;
}

/** A client and a server with the gateway between them. */
export class OpenPair {
  readonly pair: Pair;
  readonly folder: string;
  readonly client: EraClient;
  readonly #stop: () => Promise<void>;

  private constructor(pair: Pair, folder: string, { client, stop }: { readonly client: EraClient; readonly stop: () => Promise<void> }) {
    this.pair = pair;
    this.folder = folder;
    this.client = client;
    this.#stop = stop;
  }

  static async open(home: McpHome, pair: Pair, options: readonly string[] = []): Promise<OpenPair> {
    const name = `${pair.client}-${pair.server}-${pair.transport}`.replaceAll(" ", "-");
    const folder = join(home.cli.folder, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "new.txt"), "the new one");
    const children: ChildProcess[] = [];
    const { place, end } = await placeOf(home, { ...pair, name, folder, options }, children);
    const client = await connectClient(pair.client, place);
    const stop = async (): Promise<void> => {
      await client.close();
      await end();
      for (const child of children) child.kill("SIGKILL");
    };
    return new OpenPair(pair, folder, { client, stop });
  }

  close(): Promise<void> {
    return this.#stop();
  }

  get #isModern(): boolean {
    return this.pair.client === "v2 auto" || this.pair.client === "v2 pinned";
  }

  /** Everything that each pairing must do. */
  async check(): Promise<void> {
    const { client, folder } = this;
    if (this.#isModern) expect(client.revision()).toBe("2026-07-28");
    else expect(client.revision()).not.toBe("2026-07-28");
    expect((await client.tools()).map(({ name }) => name)).toContain("write_file");
    expect(client.instructions() ?? "Tools of the table.").toMatch(/of the table|of one folder/);
    expect(textOf(await client.call("write_file", { path: "a.txt", text: "a" }))).toBe("Wrote a.txt.");
    const denied = await client.call("write_file", { path: "secret.txt", text: "x" });
    expect(denied).toMatchObject({ isError: true, content: [{ text: "Hookline denied this call: No secret files." }] });
    expect(existsSync(join(folder, "secret.txt"))).toBe(false);
    expect(textOf(await client.call("read_file", { path: "old.txt" }))).toBe("the new one");
    writeFileSync(join(folder, "keys.txt"), "key-12");
    expect(textOf(await client.call("read_file", { path: "keys.txt" }))).toBe("[key]");
    expect(JSON.stringify(await client.read("note://one"))).toContain("the note's");
    await expect(client.read("note://forbidden")).rejects.toThrow("No such notes.");
    expect(JSON.stringify(await client.prompt("review", { file: "a.ts" }))).toContain("Review a.ts.");
    await expect(client.prompt("review", { file: "secret.ts" })).rejects.toThrow("No such prompt.");
    expect(textOf(await client.call("ask_name"))).toBe("Hello Ann.");
    await this.#checkCancel();
    await this.#checkTask();
  }

  async #checkCancel(): Promise<void> {
    const { client, folder } = this;
    for (const name of ["slow-began", "slow-cancelled"]) rmSync(join(folder, name), { force: true });
    const progress: number[] = [];
    const controller = new AbortController();
    const slow = client.call("slow", {}, { signal: controller.signal, onprogress: ({ progress: at }) => void progress.push(at) });
    await until(() => existsSync(join(folder, "slow-began")) && progress.length > 0);
    controller.abort(new Error("enough"));
    await expect(slow).rejects.toThrow("enough");
    await until(() => existsSync(join(folder, "slow-cancelled")));
    expect(progress).toEqual([1]);
  }

  /** Tasks of the legacy era: what the server speaks another one for is refused with a sentence. The forbidden call runs in none. */
  async #checkTask(): Promise<void> {
    const { client, folder, pair } = this;
    const isTranslated = this.#isModern ? pair.server === "legacy" : pair.server === "modern";
    const called = client.task("write_file", { path: "task.txt", text: "" }).then(
      (result) => JSON.stringify(result),
      (error: unknown) => String(error),
    );
    if (isTranslated) expect(await called).toContain("tasks differ between revisions");
    else await called;
    expect(existsSync(join(folder, "task.txt"))).toBe(!isTranslated && existsSync(join(folder, "task.txt")));
    await client.task("write_file", { path: "secret-task.txt", text: "" }).catch(() => {});
    expect(existsSync(join(folder, "secret-task.txt"))).toBe(false);
  }
}

interface Placing extends Pair {
  readonly name: string;
  readonly folder: string;
  readonly options: readonly string[];
}

async function placeOf(home: McpHome, placing: Placing, children: ChildProcess[]) {
  const { server, transport, folder, name, options } = placing;
  const words = server === "legacy" ? [program("files-server"), folder] : [program("era-server"), folder, server];
  const env = home.cli.env as Record<string, string>;
  if (transport === "stdio") {
    const args = [MAIN, "mcp", "wrap", "--name", name, ...options, "--", process.execPath, ...words];
    return { place: { args, env } satisfies Place, end: async () => {} };
  }
  const remote = spawn(process.execPath, [...words, "0"], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(remote);
  const [port] = (await once(remote.stdout, "data")) as [Buffer];
  const gateway = home.cli.start(
    "mcp",
    "proxy",
    `http://127.0.0.1:${port.toString().trim()}/mcp`,
    "--name",
    name,
    ...options,
    "--listen",
    "0",
  );
  const url = await until(() => /^http:\S+$/m.exec(gateway.out)?.[0]);
  const token = await until(() => /Bearer (\S+)"/.exec(gateway.err)?.[1]);
  const end = async (): Promise<void> => {
    gateway.child.kill("SIGTERM");
    await gateway.ended;
  };
  return { place: { url, token } satisfies Place, end };
}
