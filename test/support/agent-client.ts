import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { encodeKey } from "../../packages/hookline/src/agents/client/key-file.js";
import { type ClientOptions, writeClient } from "../../packages/hookline/src/agents/client/write-client.js";
import type { HookReply } from "../../packages/hookline/src/agents/shared/definition.js";
import { testFolder } from "./test-folder.js";

export const TOKEN = "token_of_the_attached-agents";
export const SEAL = "seal_of_the_hub-0123456789";
/** Text that a shell could trip over. */
export const DENIAL: HookReply = {
  stdout: '{"decision":"deny","reason":"it\'s `no` $HOME \\n %s \\\\ é"}\n',
  stderr: "no: 'hub' gone\n\n",
  exitCode: 0,
};
const nodeClient = fileURLToPath(new URL("../../packages/hookline/dist/agents/client/node-client.js", import.meta.url));

/** A folder with a key and a generated client; `socket` is where it looks for the hub. */
export interface ClientBench {
  readonly folder: string;
  readonly socket: string;
  readonly script: string;
}

export function clientBench(options: Partial<ClientOptions> = {}): ClientBench {
  const base = testFolder();
  const folder = join(base, "it's attach");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "key"), encodeKey({ token: TOKEN, seal: SEAL }), { mode: 0o600 });
  const socket = join(base, "http.sock");
  const defaults = { agent: "claude-code", folder, socket, isStrict: true, agentTimeoutMs: 20_000, nodeClient } as const;
  const script = join(folder, "client.sh");
  const denials = { PreToolUse: DENIAL, UserPromptSubmit: { stdout: "", stderr: "blocked", exitCode: 2 } };
  writeFileSync(script, writeClient({ ...defaults, node: process.execPath, curl: "/usr/bin/curl", denials, ...options }));
  return { folder, socket, script };
}

export interface Play {
  readonly shell?: string;
  readonly event?: string;
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
  /** Run by the shell in place of the bare script. */
  readonly wrapped?: (command: string) => string;
}

export interface Played extends HookReply {
  readonly signal: NodeJS.Signals | null;
}

/** Runs the client as an agent would. */
export async function playClient(bench: ClientBench, play: Play = {}): Promise<Played> {
  const { shell = "dash", event = "PreToolUse", input = "{}", env = {}, wrapped } = play;
  const args = wrapped === undefined ? [bench.script, event] : ["-c", wrapped(`${shell} "${bench.script}" ${event}`)];
  // Not by bash: it reads the user's start files for a command when its stdin is a socket, as it is here.
  const child = spawn(wrapped === undefined ? shell : "dash", args, {
    env: { PATH: process.env.PATH, LANG: "C.UTF-8", ...env },
    stdio: "pipe",
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => stdout.push(part));
  child.stderr.on("data", (part: Buffer) => stderr.push(part));
  // A client that gives up early does not read to the end.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [exitCode, signal] = (await once(child, "close")) as [number, NodeJS.Signals | null];
  return { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString(), exitCode, signal };
}

/** A hub that answers as told. */
export async function httpHub(socket: string, answer: RequestListener): Promise<void> {
  const server = createHttpServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await listening(server, socket);
}

/** Whoever it is that listens there. */
export async function rawHub(socket: string, talk: (peer: Socket) => void): Promise<void> {
  const peers = new Set<Socket>();
  const server = createServer((peer) => {
    peers.add(peer);
    peer.on("error", () => undefined);
    talk(peer);
  });
  onTestFinished(() => {
    for (const peer of peers) peer.destroy();
    server.close();
  });
  await listening(server, socket);
}

async function listening(server: Server, socket: string): Promise<void> {
  server.listen(socket);
  await once(server, "listening");
  chmodSync(socket, 0o600);
}
