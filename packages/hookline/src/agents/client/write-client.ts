import { createHash } from "node:crypto";
import { quoted } from "@hookline/core/internal/text";
import type { HookReply } from "../shared/definition.js";
import { type ClientOptions, clientData, SHELL_VARIABLES } from "./client-data.js";
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

/** Loading `Digest::SHA` would double the time of a call, so this is a sum in which every byte counts. */
function perlIn(perl: string, written: string): Client {
  const text = written + "\n".repeat((4 - (Buffer.byteLength(written) % 4)) % 4);
  const bytes = Buffer.from(text);
  let sum = 1;
  for (let at = 0; at < bytes.length; at += 4) sum = (sum * 31 + bytes.readUInt32BE(at)) % PRIME;
  const load = `open(F,"<",shift)&&read(F,$t,1e6);$s=1;$s=($s*31+$_)%${PRIME} for unpack"N*",$t;$s==${sum}&&length$t==${bytes.length}&&$t=~/(.*)/s&&eval$1;exit 9`;
  return { text, ending: "pl", digest: sha256(text), words: (path, event) => [perl, "-T", "-f", "-e", load, path, event] };
}

const PRIME = 4_294_967_291;

function shellIn({ sh, sha256: program }: ShellPrograms, text: string): Client {
  const load = `case $(${program} <"$0") in ${sha256(text)}*) . "$0";; esac;exit 9`;
  return { text, ending: "sh", digest: sha256(text), words: (path, event) => [sh, "-c", load, path, event] };
}

function nodeIn(node: string, text: string): Client {
  const load = `const t=require("fs").readFileSync(process.argv[1]);require("crypto").createHash("sha256").update(t).digest("hex")=="${sha256(text)}"?eval(""+t):process.exit(9)`;
  return { text, ending: "js", digest: sha256(text), words: (path, event) => [node, "-e", load, path, event] };
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
 * The command in the agent's file. It runs in a shell that the agent chose, after start-up files that may define anything. So its first word is a
 * full path, and all the rest happens in a shell with an empty environment. If the client does not end with 0 or 2, the result is the agent's own
 * deny. Words without quotes and backslashes in them mean the same in every shell. `3>&1` fails if there is no output: Node would not notice.
 */
export function clientCommand(words: readonly string[], { agent, event, folder, denial, shell: [shell] }: CommandOptions): string {
  const miss = `- ${agent} ${event} client`;
  const count = 'test -d "$0"&&(ulimit -f 2048;echo "$1" >>"$0/misses.log") 2>/dev/null;';
  const start = `${denial === undefined ? "" : "trap : HUP INT QUIT TERM;"}l=$1 d=$2;shift 2;true 3>&1||exit 2;"$@";c=$?;case $c in 0|2)exit $c;;esac;`;
  const body = start + count.replace("$1", "$l");
  // Text for people is one line, without what `echo` might interpret.
  const end = denial === undefined ? "exit 0" : denial.exitCode === 0 ? 'printf %s "$d"' : `echo "$d" >&2;exit ${denial.exitCode}`;
  const said = denial === undefined ? "" : denial.exitCode === 0 ? denial.stdout : denial.stderr.trim();
  // Bash replaces itself by a command's only program; dash does not. A function "exec" has no effect in a shell that is called "sh".
  const exec = shell === "/bin/sh" ? ["exec"] : [];
  // Start-up files of other shells depend on these: see `shell` of the client's options.
  const variables = shell === "/bin/sh" ? [] : SHELL_VARIABLES.map((variable) => `"${variable}"`);
  return [
    ...exec,
    "/usr/bin/env",
    "-i",
    ...variables,
    "/bin/sh",
    "-c",
    quoted(body + end),
    ...[folder, miss, said, ...words].map(word),
  ].join(" ");
}

function word(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : quoted(text);
}
