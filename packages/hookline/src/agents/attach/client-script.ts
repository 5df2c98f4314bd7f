import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { HookError } from "@hookline/core";
import { findRootFault, type Managed, replacePrivately } from "@hookline/core/internal/machine";
import { type ClientOptions, clientData } from "../client/client-data.js";
import { denialsOf, passesOf, unheardOf, withheldOf } from "../client/denials.js";
import { outputFill } from "../client/fill-output.js";
import { pluginClient } from "../client/plugin-client.js";
import { clientCommand, type Interpreter, writeClient } from "../client/write-client.js";
import { hashOf } from "../install/installed.js";
import { type AgentDefinition, canDo, type EntryOptions, type HookReply } from "../shared/definition.js";
import { pluginFile } from "../shared/plugin-file.js";
import { findProgram, isRunnable } from "./find-program.js";

/** A person may have to answer. The client disconnects shortly before the agent stops waiting. */
const GATE_SECONDS = 600;
const OBSERVE_SECONDS = 10;
/** Transforms may change the output after a call, and the agent waits for them. */
const OUTPUT_SECONDS = 65;
/** Where systems keep their programs. PATH may begin with folders of projects, so it is searched last. */
const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const DIGEST_CHARACTERS = 12;

/** The client that an agent's hooks run. */
export interface ClientScript {
  /** Contains a part of the text's digest: entries that name another version keep their own file. */
  readonly name: string;
  readonly text: string;
  /** The command in the agent's file. */
  command(event: string): string;
  /** The text of the agent's file, where that is a plugin. */
  readonly plugin?: string;
}

export interface ScriptOptions {
  readonly agent: AgentDefinition;
  readonly isStrict: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the client: the full path of `attach` in the state folder, or that of managed clients. */
  readonly folder: string;
  /** The hub's `http.sock`. */
  readonly socket: string;
  /** For the managed hub of the machine, whose key and socket are elsewhere. */
  readonly managed?: Managed;
  /** Chosen by what the machine has. */
  readonly interpreter?: Interpreter;
}

export function clientScript(options: ScriptOptions): ClientScript {
  if (options.agent.install.plugin !== undefined) return pluginScript(options, options.agent.install.plugin);
  const {
    agent,
    isStrict,
    env,
    folder,
    managed,
    interpreter = managed === undefined ? findInterpreter(env) : managedInterpreter(),
  } = options;
  const shell = managed !== undefined && agent.install.hasUsersShell === true ? "login" : agent.install.shell();
  const fill = outputFill(agent);
  const [denials, passes, withheld] = [denialsOf(agent), passesOf(agent), withheldOf(agent)];
  const client = writeClient(interpreter, {
    agent: agent.id,
    ...(managed === undefined ? ownHub(options) : managedHub(managed)),
    isStrict,
    denials,
    passes,
    withheld,
    unheard: unheardOf(agent),
    ...(fill !== undefined && { fill }),
    // A shell that is called "sh" reads no start-up files for a command.
    ...(shell[0] !== "/bin/sh" && { shell }),
    agentTimeoutMs: GATE_SECONDS * 1_000,
  });
  const name = `${clientStem(agent.id, isStrict)}${client.digest.slice(0, DIGEST_CHARACTERS)}.${client.ending}`;
  return {
    name,
    text: client.text,
    command(event) {
      const denial = isStrict ? fallback(options, denials[event] ?? withheld[event]) : passes[event];
      const words = client.words(join(folder, name), event);
      return clientCommand(words, {
        agent: agent.id,
        event,
        folder: managed === undefined ? folder : keyFolder(managed),
        shell: shell === "login" ? ["login shell"] : shell,
        ...(denial !== undefined && { denial }),
      });
    },
  };
}

/** The client in the agent's process, and the plugin that loads it. */
function pluginScript(options: ScriptOptions, { hooks, exported }: NonNullable<AgentDefinition["install"]["plugin"]>): ClientScript {
  const { agent, isStrict, folder } = options;
  const { id } = agent;
  const data = clientData({
    agent: id,
    ...ownHub(options),
    isStrict,
    denials: denialsOf(agent),
    withheld: withheldOf(agent),
    agentTimeoutMs: GATE_SECONDS * 1_000,
  });
  const text = pluginClient(data, hooks);
  const name = `${clientStem(id, isStrict)}${hashOf(text).slice(0, DIGEST_CHARACTERS)}.js`;
  const plugin = pluginFile({ agent: id, isStrict, path: join(folder, name), text, exported });
  return { name, text, command: () => "", plugin };
}

type HubPlaces = Pick<ClientOptions, "folder" | "sockets" | "owner" | "group">;

function ownHub({ folder, socket }: ScriptOptions): HubPlaces {
  const owner = process.getuid?.() ?? 0;
  const sockets = [...new Set([socket, join(dirname(folder), "http.sock"), `/run/user/${owner}/hookline/http.sock`])];
  return { folder, sockets, owner };
}

function managedHub(managed: Managed): HubPlaces {
  const { run, user, group } = managed;
  return { folder: keyFolder(managed), sockets: [join(run, "http.sock")], owner: user, group };
}

/** Where the managed hub puts the key of attached agents. */
function keyFolder({ run }: Managed): string {
  return join(run, "attach");
}

/** What the agent gets if its client is missing, damaged or killed. */
function fallback({ agent: { id }, managed }: ScriptOptions, reply: HookReply | undefined): HookReply | undefined {
  if (reply === undefined || reply.exitCode === 0) return reply;
  const [how, again] =
    managed === undefined ? ["--strict", `hookline attach ${id} --strict`] : ["--managed", `sudo hookline attach --managed ${id}`];
  return { ...reply, stderr: `Hookline could not run its client, and this agent is attached with ${how}. Run: ${again}\n` };
}

/** How the name of an agent's client begins. There are two, because a project can be strict while the user's other sessions are not. */
export function clientStem(id: string, isStrict: boolean): string {
  return isStrict ? `${id}-strict.` : `${id}.`;
}

export function putClient(folder: string, { name, text }: Pick<ClientScript, "name" | "text">): void {
  replacePrivately(folder, name, text);
}

/** Perl is the fastest, and Node is always there. */
function findInterpreter(env: NodeJS.ProcessEnv): Interpreter {
  const find = (name: string): string | undefined =>
    SYSTEM_FOLDERS.map((folder) => join(folder, name)).find(isRunnable) ?? findProgram({ commands: [name] }, env)?.path;
  const perl = find("perl");
  if (perl !== undefined && isUsablePerl(perl)) return { kind: "perl", path: perl };
  const [curl, ls, date, cat, od] = ["curl", "ls", "date", "cat", "od"].map(find);
  const sha256 = [["sha256sum"], ["shasum", "-a", "256"], ["openssl", "dgst", "-sha256", "-r"]].flatMap(([name = "", ...options]) => {
    const path = find(name);
    // The client splits the text at spaces.
    return path === undefined || /[^\w./-]/.test(path) ? [] : [[path, ...options].join(" ")];
  })[0];
  if (curl !== undefined && ls !== undefined && date !== undefined && cat !== undefined && od !== undefined && sha256 !== undefined)
    return { kind: "sh", sh: "/bin/sh", curl, ls, date, cat, od, sha256 };
  return { kind: "node", path: process.execPath };
}

/** Only root can change it, and every user can run it. Throws `HL_AGENT_FILE` if there is none. */
function managedInterpreter(): Interpreter {
  const perl = SYSTEM_FOLDERS.map((folder) => join(folder, "perl")).find((path) => isRunnable(path) && rootFault(path) === undefined);
  if (perl !== undefined && isUsablePerl(perl)) return { kind: "perl", path: perl };
  const fault = rootFault(process.execPath);
  if (fault === undefined) return { kind: "node", path: process.execPath };
  throw new HookError("HL_AGENT_FILE", `The client of a managed agent needs a program that only root can change: ${fault}.`, {
    fix: { run: "sudo /opt/hookline/bin/hookline attach --managed" },
  });
}

function rootFault(path: string): string | undefined {
  return findRootFault(realpathSync(path));
}

const usablePerls = new Map<string, boolean>();

/** The client computes with 64-bit integers, and knows the numbers of socket constants on these systems. */
function isUsablePerl(path: string): boolean {
  const isKnown = ["linux", "darwin", "freebsd", "openbsd", "netbsd"].includes(process.platform) && !process.arch.startsWith("mips");
  if (!isKnown) return false;
  const known =
    usablePerls.get(path) ??
    spawnSync(path, ["-T", "-f", "-e", "exit !(~0>4294967295&&$]>=5.010)"], { env: {}, timeout: 10_000 }).status === 0;
  usablePerls.set(path, known);
  return known;
}

export interface EntryWay {
  readonly agent: AgentDefinition;
  readonly isStrict: boolean;
  readonly client: ClientScript;
  /** For an agent that posts to the hub itself. */
  readonly http?: { readonly url: string; readonly token: string };
}

/** How an agent's entries reach the hub. */
export function entryOptions({ agent, isStrict, client, http }: EntryWay): EntryOptions {
  return {
    command: client.command,
    timeoutSeconds: (event) => secondsFor(agent, event),
    strict: isStrict,
    ...(client.plugin !== undefined && { plugin: client.plugin }),
    ...(http !== undefined && {
      http: {
        url: (event) => `${http.url}/api/agents/${agent.id}/${event}?plain=1`,
        headers: { Authorization: `Bearer ${http.token}` },
      },
    }),
  };
}

function secondsFor(agent: AgentDefinition, native: string): number {
  if (canDo(agent, native, "block") || canDo(agent, native, "again")) return GATE_SECONDS;
  return canDo(agent, native, "replace") ? OUTPUT_SECONDS : OBSERVE_SECONDS;
}
