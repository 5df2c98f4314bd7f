import { createHash } from "node:crypto";
import { quoted } from "@hookline/core/internal/text";
import type { HookReply } from "../shared/definition.js";
import { type ClientOptions, clientData, NO_OUTPUT, SHELL_VARIABLES } from "./client-data.js";
import { nodeClient } from "./node-client.js";
import { perlClient } from "./perl-client.js";
import { type ShellPrograms, shClient } from "./sh-client.js";

/** What runs the client, by its full path. It is chosen when an agent is attached: PATH is not searched later. */
export type Interpreter =
  | { readonly kind: "perl"; readonly path: string }
  | ({ readonly kind: "sh" } & ShellPrograms)
  | { readonly kind: "node"; readonly path: string };

/** A client, and the words that run it. */
export interface Client {
  readonly text: string;
  readonly ending: "pl" | "sh" | "js";
  /** Identifies the text in its file's name: a client of another version is another file. */
  readonly digest: string;
  /** Reads the client from a file, compares it with what was written, and runs it. Ends with code 9 if the client is missing or damaged. */
  words(path: string, event: string): readonly string[];
}

export function writeClient(interpreter: Interpreter, options: ClientOptions): Client {
  const data = clientData(options);
  if (interpreter.kind === "perl") return perlIn(interpreter.path, perlClient(data));
  if (interpreter.kind === "node") return nodeIn(interpreter.path, nodeClient(data));
  return shellIn(interpreter, shClient(data, interpreter));
}

// Damage must be found, not a forger: a program that can write the client can write the agent's settings, too.

/**
 * Loading `Digest::SHA`, or a sum in Perl's own code, would take as long as the rest of a call. These are two sums that Perl computes at once: one of
 * the text, in which every byte counts, and one of the text beside itself, in which the order counts.
 */
function perlIn(perl: string, written: string): Client {
  const text = written + "\n".repeat((8 - (Buffer.byteLength(written) % 8)) % 8);
  const bytes = Buffer.from(text);
  const beside = bytes.map((byte, at) => byte ^ (bytes[at + DISTANCE] ?? 0));
  const isWhole = `length$t==${bytes.length}&&unpack("%64Q>*",$t)==${sumOf(bytes)}&&unpack("%64Q>*",$t^substr$t,${DISTANCE})==${sumOf(Buffer.from(beside))}`;
  const load = `stat STDOUT or print(STDERR"${NO_OUTPUT}"),exit 2;open(F,"<",shift)&&sysread(F,$t,${bytes.length + 1});${isWhole}&&$t=~/(.*)/s&&eval$1;exit 9`;
  return { text, ending: "pl", digest: sha256(text), words: (path, event) => [perl, "-T", "-f", "-e", load, path, event] };
}

/** Not a multiple of a word's bytes. */
const DISTANCE = 9;

function sumOf(bytes: Buffer): bigint {
  let sum = 0n;
  for (let at = 0; at < bytes.length; at += 8) sum += bytes.readBigUInt64BE(at);
  return BigInt.asUintN(64, sum);
}

function shellIn({ sh, sha256: program }: ShellPrograms, text: string): Client {
  const load = `true 3>&1||exit 2;case $(${program} <"$0") in ${sha256(text)}*) . "$0";; esac;exit 9`;
  return { text, ending: "sh", digest: sha256(text), words: (path, event) => [sh, "-c", load, path, event] };
}

function nodeIn(node: string, text: string): Client {
  const load = `const t=require("fs").readFileSync(process.argv[1]);require("crypto").createHash("sha256").update(t).digest("hex")=="${sha256(text)}"?eval(""+t):process.exit(9)`;
  // Node opens an output that is closed, and would not notice.
  const start = 'true 3>&1||exit 2;exec "$0" "$@"';
  return { text, ending: "js", digest: sha256(text), words: (path, event) => ["/bin/sh", "-c", start, node, "-e", load, path, event] };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export interface CommandOptions {
  readonly agent: string;
  readonly event: string;
  /** The folder of the client, which also has the record of misses. */
  readonly folder: string;
  /** The agent's own deny, for a strict client, or its pass, where it takes silence for a failure. Without one, the agent continues. */
  readonly denial?: HookReply;
  /** How the agent starts the command. */
  readonly shell: readonly string[];
}

/**
 * The command in the agent's file. It runs in a shell that the agent chose, after start-up files that may define anything. So its programs have
 * full paths, and run with an empty environment. If the client does not end with 0 or 2, the result is the agent's own deny. Words without quotes
 * and backslashes in them mean the same in every shell.
 */
export function clientCommand(words: readonly string[], { agent, event, folder, denial, shell: [shell] }: CommandOptions): string {
  const miss = `- ${agent} ${event} client`;
  const count = 'test -d "$0"&&(ulimit -f 2048;echo "$1" >>"$0/misses.log") 2>/dev/null;';
  // Text for people is one line, without what `echo` might interpret.
  const end = denial === undefined ? "exit 0" : denial.exitCode === 0 ? 'printf %s "$2"' : `echo "$2" >&2;exit ${denial.exitCode}`;
  const said = denial === undefined ? "" : denial.exitCode === 0 ? denial.stdout : denial.stderr.trim();
  const trap = denial === undefined ? "" : "trap : HUP INT QUIT TERM;";
  const isSh = shell === "/bin/sh" && words[0]?.includes("=") === false;
  return isSh
    ? inAgentsShell({ trap, words, otherwise: `case $3 in 2)exit 2;;esac;${count}${end}`, texts: [folder, miss, said] })
    : inOwnShell({ trap, words, otherwise: count + end, texts: [folder, miss, said] });
}

interface CommandParts {
  /** What keeps the shell from ending before its client. */
  readonly trap: string;
  readonly words: readonly string[];
  /** What happens if the client does not end with 0 or 2. */
  readonly otherwise: string;
  /** `$0`, `$1` and `$2` of that. */
  readonly texts: readonly string[];
}

/**
 * For a shell that is called "sh". It has no start-up files, and no function can replace its words `trap` and `exec`. So it waits for the client
 * itself, which saves the start of another shell. With the locale C, `env` reads no files of the system.
 */
function inAgentsShell({ trap, words, otherwise, texts }: CommandParts): string {
  const client = ["LC_ALL=C", "/usr/bin/env", "-i", ...words.map(word)].join(" ");
  const rest = ["LC_ALL=C", "exec", "/usr/bin/env", "-i", "/bin/sh", "-c", quoted(otherwise), ...texts.map(word), "$?"].join(" ");
  return `${trap}${client} || ${rest}`;
}

/** For another shell: its only program is a shell of ours. Bash replaces itself by it. */
function inOwnShell({ trap, words, otherwise, texts }: CommandParts): string {
  const body = `${trap}l=$1 d=$2;shift 2;"$@";c=$?;case $c in 0|2)exit $c;;esac;set -- "$l" "$d";${otherwise}`;
  // Start-up files of other shells depend on these: see `shell` of the client's options.
  const variables = SHELL_VARIABLES.map((variable) => `"${variable}"`);
  return ["/usr/bin/env", "-i", ...variables, "/bin/sh", "-c", quoted(body), ...[...texts, ...words].map(word)].join(" ");
}

function word(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : quoted(text);
}
