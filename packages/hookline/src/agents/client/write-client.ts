import { HookError } from "@hookline/core";
import { quoted } from "@hookline/core/internal/text";
import { clientBody } from "./client-body.js";
import type { Denials } from "./denials.js";
import { SILENCE_MS } from "./reply-format.js";

export interface ClientOptions {
  readonly agent: string;
  /** The full path of `attach` in the state folder, which holds the key and the recorded misses. */
  readonly folder: string;
  /** The hub's `http.sock`. */
  readonly socket: string;
  /** Whether the client denies when the hub gives no valid answer. */
  readonly isStrict: boolean;
  /** The events that can be blocked, by the agent's names, and how to block each. */
  readonly denials: Denials;
  /** After these events, the client withholds the output if it cannot reach the hub and a transform of outputs is closed, strict or not. */
  readonly withheld?: Denials;
  /** For an agent whose withheld output depends on the tool: `withhold-output.js`, and the shell code for machines without Node. */
  readonly withholder?: { readonly path: string; readonly filler: string };
  /** How long the agent waits for its hook at one of these events. The client answers earlier. */
  readonly agentTimeoutMs: number;
  /** How long an event that cannot be blocked may delay the agent. */
  readonly observeTimeoutMs?: number;
  /** The client gives up after this much silence from the hub, in whole seconds. */
  readonly silenceMs?: number;
  /** Full paths at the time of writing. If they no longer exist, the script searches PATH. */
  readonly curl?: string;
  readonly node?: string;
  /** `node-client.js`, which replaces `curl`. */
  readonly nodeClient: string;
}

const OBSERVE_MS = 5_000;
/** Transforms of an output need time too. */
const OUTPUT_MS = 60_000;

/** The script that an agent runs as `sh <agent>.sh <Event>`, with the event on its stdin. It needs `sh`, and `curl` or Node. */
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
  if (script.includes("\0"))
    throw new HookError("HL_BAD_OPTION", `The script for ${agent} would contain a NUL character, which no shell can read.`);
  return script;
}

/** The answer unless the hub gives another. */
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

/** Well before the agent stops waiting, because it would continue without an answer. */
function gateLimit(agentTimeoutMs: number): number {
  const margin = Math.min(5_000, Math.max(500, agentTimeoutMs / 10));
  return Math.max(agentTimeoutMs / 2, agentTimeoutMs - margin);
}

function observeLimit({ observeTimeoutMs = OBSERVE_MS, agentTimeoutMs }: ClientOptions): number {
  return Math.min(observeTimeoutMs, gateLimit(agentTimeoutMs));
}

function seconds(ms: number): string {
  if (Number.isFinite(ms) && ms >= 1) return (ms / 1000).toFixed(3);
  throw new HookError("HL_BAD_OPTION", `The timeout of ${ms} ms is too short for an agent's hook.`, {
    fix: "Give the hook a timeout of a second or more.",
  });
}

function eventName(native: string): string {
  if (/^\w+$/.test(native)) return native;
  throw new HookError(
    "HL_BAD_OPTION",
    `${JSON.stringify(native)} is not the name of an agent's event: it may contain only letters, digits and "_".`,
  );
}
