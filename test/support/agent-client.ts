import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type { ClientOptions } from "../../packages/hookline/src/agents/client/client-data.js";
import type { Denials } from "../../packages/hookline/src/agents/client/denials.js";
import { encodeKey } from "../../packages/hookline/src/agents/client/key-file.js";
import { PROBE_MARK, PROBE_VARIABLE } from "../../packages/hookline/src/agents/client/plugin-client.js";
import { encodeReply, NONCE_HEADER, REPLY_TYPE } from "../../packages/hookline/src/agents/client/reply-format.js";
import { clientCommand, type Interpreter, writeClient } from "../../packages/hookline/src/agents/client/write-client.js";
import type { HookReply } from "../../packages/hookline/src/agents/shared/definition.js";
import { testFolder } from "./test-folder.js";

export const TOKEN = "token_of_the_attached-agents";
export const SEAL = "seal_of_the_hub-0123456789";
/** Text that a shell could trip over. */
export const DENIAL: HookReply = {
  stdout: '{"decision":"deny","reason":"it\'s `no` $HOME \\n %s \\\\ é"}\n',
  stderr: "no: 'hub' gone\n\n",
  exitCode: 2,
};

const perl: Interpreter = { kind: "perl", path: "/usr/bin/perl" };
const programs = {
  curl: "/usr/bin/curl",
  sha256: "/usr/bin/sha256sum",
  ls: "/usr/bin/ls",
  date: "/usr/bin/date",
  cat: "/usr/bin/cat",
  od: "/usr/bin/od",
};
// Bash under its own name would read the user's start-up files here, because its input is a socket.
const named = mkdtempSync(join(tmpdir(), "hl-sh-"));
symlinkSync("/usr/bin/bash", join(named, "sh"));
process.on("exit", () => rmSync(named, { recursive: true, force: true }));

/** Every interpreter that a client can be written for; the shell's with the shells that `/bin/sh` is on most systems. */
export const interpreters: { readonly [name: string]: Interpreter } = {
  perl,
  dash: { kind: "sh", sh: "/usr/bin/dash", ...programs },
  bash: { kind: "sh", sh: join(named, "sh"), ...programs },
  node: { kind: "node", path: process.execPath },
};

/** A folder with a key and a generated client; `socket` is where it looks for the hub. */
export interface ClientBench {
  readonly folder: string;
  readonly socket: string;
  readonly script: string;
  /** What the agent's file would contain. */
  command(event: string): string;
}

export interface BenchOptions extends Partial<ClientOptions> {
  readonly interpreter?: Interpreter;
}

function shellOf(shell: ClientOptions["shell"] = ["/bin/sh"]): readonly string[] {
  return shell === "login" ? ["/bin/bash"] : shell;
}

export function clientBench({ interpreter = perl, ...options }: BenchOptions = {}): ClientBench {
  const base = testFolder();
  const folder = join(base, "it's attach");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "key"), encodeKey({ token: TOKEN, seal: SEAL }), { mode: 0o600 });
  const socket = join(base, "http.sock");
  const denials: Denials = { PreToolUse: DENIAL, UserPromptSubmit: { stdout: "", stderr: "blocked", exitCode: 2 } };
  const owner = process.getuid?.() ?? 0;
  const all = { agent: "claude-code", folder, sockets: [socket], owner, isStrict: true, agentTimeoutMs: 20_000, denials, ...options };
  const client = writeClient(interpreter, all);
  const script = join(folder, `client.${client.ending}`);
  writeFileSync(script, client.text, { mode: 0o600 });
  const denialOf = (event: string): { readonly denial?: HookReply } => {
    const denial = all.isStrict ? all.denials[event] : undefined;
    return denial === undefined ? {} : { denial: { ...denial, stderr: DAMAGED } };
  };
  const command = (event: string): string =>
    clientCommand(client.words(script, event), { agent: all.agent, event, folder, shell: shellOf(all.shell), ...denialOf(event) });
  return { folder, socket, script, command };
}

/** What the command of a strict bench says if its client does not run. */
export const DAMAGED = "The client did not run.\n";

/** Answers a client's question as the hub does, to the question that it asked. */
export function sealedReply({ headers, url = "" }: IncomingMessage, reply: HookReply, seal = SEAL): Buffer {
  const [agent = "", native = ""] = url.split("/").slice(-2);
  return encodeReply(seal, reply, { nonce: String(headers[NONCE_HEADER]), agent, native });
}

/** A hub that gives this answer to each question. */
export function replyingHub(socket: string, reply: HookReply): Promise<void> {
  return httpHub(socket, (asked, answer) => void answer.writeHead(200, { "content-type": REPLY_TYPE }).end(sealedReply(asked, reply)));
}

export interface Play {
  /** How the agent starts the command: these words, then the command. */
  readonly shell?: readonly string[];
  readonly event?: string;
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
  /** Run by the shell in place of the command alone. */
  readonly wrapped?: (command: string) => string;
}

export interface Played extends HookReply {
  readonly signal: NodeJS.Signals | null;
}

/** Runs the client as an agent would. */
export function playClient(bench: Pick<ClientBench, "command">, play: Play = {}): Promise<Played> {
  const { shell = ["/bin/sh", "-c"], event = "PreToolUse", input = "{}", env = {}, wrapped = (command) => command } = play;
  return runWith(input, [...shell, wrapped(bench.command(event))], env);
}

/** Loads a plugin as its agent does, and lets it ask about an event. The agent has no more room for the payload than a variable of its own process. */
const LOAD = `const [plugin, event, variable] = process.argv.slice(1);
const payload = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.env[variable] = JSON.stringify({ event, payload });
import(plugin).then(({ default: first, Hookline = first }) => Hookline({ client: {}, directory: "/", on() {} }));`;

/** What a plugin does with an event: its document, and a deny as the agent gets it. */
export async function playPlugin(path: string, event: string, input: string | Buffer): Promise<Played> {
  const { stderr, ...ended } = await runWith(input, [process.execPath, "-e", LOAD, pathToFileURL(path).href, event, PROBE_VARIABLE]);
  const line = stderr.split("\n").find((one) => one.startsWith(PROBE_MARK));
  if (line === undefined) throw new Error(`The plugin did not answer: ${stderr}`);
  const said = line.slice(PROBE_MARK.length);
  const { block } = JSON.parse(said) as { readonly block?: string };
  return { ...ended, stdout: said === "{}" ? "" : said, stderr: block ?? "", exitCode: block === undefined ? 0 : 2 };
}

async function runWith(input: string | Buffer, [program = "", ...words]: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Played> {
  const child = spawn(program, words, { env: { PATH: process.env.PATH, LANG: "C.UTF-8", ...env }, stdio: "pipe" });
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
