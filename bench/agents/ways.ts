import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findAgent } from "../../packages/hookline/dist/agents/agents.js";
import { clientScript, entryOptions, putClient } from "../../packages/hookline/dist/agents/attach/client-script.js";
import type { Interpreter } from "../../packages/hookline/src/agents/client/write-client.ts";

export interface Way {
  readonly name: string;
  /** A file for Claude Code's `--settings`; its hooks are the only ones. */
  readonly settings: string;
}

export interface WaySetting {
  /** Where files may be put. */
  readonly folder: string;
  readonly state: string;
  readonly socket: string;
  readonly url: string;
  readonly token: string;
}

/** What can run the client, as `attach` would find it. */
const INTERPRETERS: readonly Interpreter[] = [
  { kind: "perl", path: "/usr/bin/perl" },
  {
    kind: "sh",
    sh: "/bin/sh",
    curl: "/usr/bin/curl",
    ls: "/usr/bin/ls",
    date: "/usr/bin/date",
    cat: "/usr/bin/cat",
    od: "/usr/bin/od",
    sha256: "/usr/bin/sha256sum",
  },
  { kind: "node", path: process.execPath },
];

type Entries = { readonly [event: string]: readonly unknown[] };

/** All ways to have a hook before each tool call, and none. */
export function makeWays({ folder, state, socket, url, token }: WaySetting): Way[] {
  const agent = findAgent("claude-code");
  if (agent === undefined) throw new Error("There is no Claude Code.");
  const { entries } = agent.install.file;
  const attach = join(state, "attach");
  mkdirSync(attach, { recursive: true, mode: 0o700 });
  const script = clientScript({ agent, isStrict: true, env: process.env, folder: attach, socket });
  putClient(attach, script);
  const nothing = join(folder, "nothing.mjs");
  writeFileSync(nothing, "");
  const strict = entries(entryOptions({ agent, isStrict: true, client: script }));
  const loose = clientScript({ agent, isStrict: false, env: process.env, folder: attach, socket });
  putClient(attach, loose);
  const client = entries(entryOptions({ agent, isStrict: false, client: loose }));
  const http = entries(entryOptions({ agent, isStrict: false, client: loose, http: { url, token } }));
  const node = { PreToolUse: [{ hooks: [{ type: "command", command: `'${process.execPath}' '${nothing}'` }] }] };
  const clients = INTERPRETERS.map((interpreter) => {
    const one = clientScript({ agent, isStrict: true, env: process.env, folder: attach, socket, interpreter });
    putClient(attach, one);
    return [`${interpreter.kind} client, one hook`, onlyBefore(entries(entryOptions({ agent, isStrict: true, client: one })))] as const;
  });
  const hooks: { readonly [name: string]: Entries } = {
    none: {},
    node,
    ...Object.fromEntries(clients),
    "http, one hook": onlyBefore(http),
    "attach --strict": strict,
    attach: client,
    "attach --http": http,
  };
  return Object.entries(hooks).map(([name, entries], at) => {
    const settings = join(folder, `settings-${at}.json`);
    writeFileSync(settings, JSON.stringify({ hooks: entries }), { mode: 0o600 });
    return { name, settings };
  });
}

function onlyBefore({ PreToolUse = [] }: Entries): Entries {
  return { PreToolUse };
}
