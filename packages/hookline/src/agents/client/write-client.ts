import { HookError } from "@hookline/core";
import { quoted } from "@hookline/core/internal/text";
import { clientBody } from "./client-body.js";
import type { Denials } from "./denials.js";
import { SILENCE_MS } from "./reply-format.js";

export interface ClientOptions {
  readonly agent: string;
  /** `attach` in the state folder, in full: holds the key, and the misses are noted there. */
  readonly folder: string;
  /** The hub's `http.sock`. */
  readonly socket: string;
  /** Whether the agent is told no when the hub gives no proper answer. */
  readonly isStrict: boolean;
  /** By the agent's own names: the events that can be blocked, and how. */
  readonly denials: Denials;
  /** After these events the output is withheld, strict or not, where the hub cannot be asked and a transform of outputs is closed. */
  readonly withheld?: Denials;
  /** For an agent whose withheld output depends on the tool: `withhold-output.js`, and what the shell does where Node does not run. */
  readonly withholder?: { readonly path: string; readonly filler: string };
  /** How long the agent waits for its hook on one of these; the client answers before. */
  readonly agentTimeoutMs: number;
  /** How long an event that cannot be blocked may hold the agent up. */
  readonly observeTimeoutMs?: number;
  /** A hub that says nothing for so long is given up, in whole seconds. */
  readonly silenceMs?: number;
  /** Full paths, as found when this is written; looked for in PATH when they are not there any more. */
  readonly curl?: string;
  readonly node?: string;
  /** `node-client.js`, which stands in for `curl`. */
  readonly nodeClient: string;
}

const OBSERVE_MS = 5_000;
/** Transforms of an output take their time, too. */
const OUTPUT_MS = 60_000;

/** The text of the script that an agent runs as `sh <agent>.sh <Event>`, with the event on its stdin. It needs `sh`, and `curl` or Node. */
export function writeClient(options: ClientOptions): string {
  const { agent, folder, socket, silenceMs = SILENCE_MS, curl = "curl", node = "node", nodeClient } = options;
  const script = `#!/bin/sh
# Written by "hookline attach": asks the hub about an event of ${agent}. Changes made by hand are lost.
agent=${quoted(agent)}
folder=${quoted(folder)}
socket=${quoted(socket)}
curl=${quoted(curl)}
node=${quoted(node)}
client=${quoted(nodeClient)}
withholder=${quoted(options.withholder?.path ?? "")}
silence=${Math.max(1, Math.ceil(silenceMs / 1000))}
event=\${1-}
out= err= code=0 gate= after= limit=${seconds(observeLimit(options))}
${cases(options)}
${options.withholder?.filler ?? ""}${clientBody(options.isStrict)}`;
  if (script.includes("\0")) throw new HookError("HL_BAD_OPTION", `The script for ${agent} would hold a NUL, which no shell can read.`);
  return script;
}

/** What is said unless the hub says something else. */
function cases({ denials, withheld = {}, isStrict, agentTimeoutMs }: ClientOptions): string {
  const limit = seconds(gateLimit(agentTimeoutMs));
  const afterLimit = seconds(gateLimit(Math.min(OUTPUT_MS, agentTimeoutMs)));
  const after = Object.entries(withheld).map(
    ([native, { stdout, stderr, exitCode }]) =>
      `${eventName(native)}) after=1 held=${quoted(stdout)} complaint=${quoted(stderr)} ending=${exitCode} limit=${afterLimit} ;;`,
  );
  const lines = Object.entries(denials).map(([native, { stdout, stderr, exitCode }]) => {
    const denial = isStrict ? `gate=1 out=${quoted(stdout)} err=${quoted(stderr)} code=${exitCode} ` : "";
    return `${eventName(native)}) ${denial}limit=${limit} ;;`;
  });
  return ["case $event in", ...lines, ...after, "esac"].join("\n");
}

/** Well before the agent stops to wait: it goes on without an answer then. */
function gateLimit(agentTimeoutMs: number): number {
  const margin = Math.min(5_000, Math.max(500, agentTimeoutMs / 10));
  return Math.max(agentTimeoutMs / 2, agentTimeoutMs - margin);
}

function observeLimit({ observeTimeoutMs = OBSERVE_MS, agentTimeoutMs }: ClientOptions): number {
  return Math.min(observeTimeoutMs, gateLimit(agentTimeoutMs));
}

function seconds(ms: number): string {
  if (Number.isFinite(ms) && ms >= 1) return (ms / 1000).toFixed(3);
  throw new HookError(
    "HL_BAD_OPTION",
    `An agent's hook needs time to answer: ${ms} ms is none. Give the hook a timeout of a second or more.`,
  );
}

function eventName(native: string): string {
  if (/^\w+$/.test(native)) return native;
  throw new HookError("HL_BAD_OPTION", `${JSON.stringify(native)} is no event of an agent: letters, digits and "_" only.`);
}
