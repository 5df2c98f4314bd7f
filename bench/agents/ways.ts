import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientScript, entryOptions, putClient } from "../../packages/hookline/dist/agents/attach/client-script.js";
import type { ClientScript } from "../../packages/hookline/src/agents/attach/client-script.ts";
import type { Interpreter } from "../../packages/hookline/src/agents/client/write-client.ts";
import type { AgentDefinition } from "../../packages/hookline/src/agents/shared/definition.ts";

export interface Way {
  readonly name: string;
  /** The agent's file of hooks. Its hooks are the only ones. */
  readonly settings: string;
}

export interface WaySetting {
  readonly agent: AgentDefinition;
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
export function makeWays({ agent, folder, state, socket, url, token }: WaySetting): Way[] {
  const { entries } = agent.install.file;
  const attach = join(state, "attach");
  mkdirSync(attach, { recursive: true, mode: 0o700 });
  const clientFor = (isStrict: boolean, interpreter?: Interpreter): ClientScript => {
    const client = clientScript({ agent, isStrict, env: process.env, folder: attach, socket, ...(interpreter && { interpreter }) });
    putClient(attach, client);
    return client;
  };
  const [strict, loose] = [clientFor(true), clientFor(false)];
  const nothing = join(folder, "nothing.mjs");
  writeFileSync(nothing, "");
  const before = (command: string): Entries => ({ PreToolUse: [{ hooks: [{ type: "command", command }] }] });
  const clients = INTERPRETERS.map((interpreter) => {
    const client = clientFor(true, interpreter);
    return [`${interpreter.kind} client, one hook`, onlyBefore(entries(entryOptions({ agent, isStrict: true, client })))] as const;
  });
  const posted = entries(entryOptions({ agent, isStrict: false, client: loose, http: { url, token } }));
  const hooks: { readonly [name: string]: Entries } = {
    none: {},
    node: before(`'${process.execPath}' '${nothing}'`),
    empty: before("exit 0"),
    ...Object.fromEntries(clients),
    "attach --strict": entries(entryOptions({ agent, isStrict: true, client: strict })),
    attach: entries(entryOptions({ agent, isStrict: false, client: loose })),
    ...(agent.install.canPost && { "http, one hook": onlyBefore(posted), "attach --http": posted }),
  };
  return Object.entries(hooks).map(([name, entries]) => ({ name, settings: JSON.stringify({ hooks: entries }) }));
}

function onlyBefore({ PreToolUse = [] }: Entries): Entries {
  return { PreToolUse };
}
