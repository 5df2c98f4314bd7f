import { HookError } from "@hookline/core";
import type { HookReply } from "../shared/definition.js";
import type { Denials } from "./denials.js";
import type { OutputFill } from "./fill-output.js";
import { SILENCE_MS } from "./reply-format.js";

/** What a client must know. The three clients are written from the same data and behave in the same way. */
export interface ClientOptions {
  readonly agent: string;
  /** The full path of `attach` in the state folder, which holds the key and the recorded misses. */
  readonly folder: string;
  /** Where the hub's `http.sock` may be, the usual one first. The key names one of these, and a path outside the list is ignored. */
  readonly sockets: readonly string[];
  /** The user whose key and socket the client trusts. */
  readonly owner: number;
  /** The group that may read the key of a managed hub and connect to it. Without one, only the owner may. */
  readonly group?: number;
  /** Whether the client denies when the hub gives no valid answer. */
  readonly isStrict: boolean;
  /** The events that can be blocked, by the agent's names, and how to block each. */
  readonly denials: Denials;
  /** What a client that is not strict answers without the hub, for an agent that takes silence for a failure. */
  readonly passes?: Denials;
  /** After these events, the client withholds the output if it cannot reach the hub and a transform of outputs is closed, strict or not. */
  readonly withheld?: Denials;
  /** Events after which the agent hears nothing, whatever the answer: it need not wait for one. */
  readonly unheard?: readonly string[];
  /** For an agent that accepts a withheld output only in the tool's own shape. */
  readonly fill?: OutputFill;
  /**
   * How the agent starts its hooks, where that reads start-up files: the words before the command. Before it prints a rewrite, the client starts this
   * shell once more. If the shell prints anything, the agent would not understand the rewrite and run the original, so the call is denied.
   * `login`: the login shell of the user who runs the agent.
   */
  readonly shell?: readonly string[] | "login";
  /** How long the agent waits for its hook at one of these events. The client answers earlier. */
  readonly agentTimeoutMs: number;
  /** How long an event that cannot be blocked may delay the agent. */
  readonly observeTimeoutMs?: number;
  /** The client gives up after this much silence from the hub, in whole seconds. */
  readonly silenceMs?: number;
}

/** One event of the agent, as a client handles it. */
interface ClientEvent {
  readonly native: string;
  /** The agent lets a hook block here. */
  readonly isGate: boolean;
  /** In seconds. */
  readonly limit: number;
  /** The answer without the hub: the deny of a strict client, or the pass of an agent that takes silence for a failure. */
  readonly denial?: HookReply;
  /** The answer without the hub, while a transform of outputs is closed. */
  readonly held?: HookReply;
}

export interface ClientData
  extends Pick<ClientOptions, "agent" | "folder" | "sockets" | "owner" | "group" | "isStrict" | "fill" | "shell"> {
  readonly events: readonly ClientEvent[];
  readonly unheard: readonly string[];
  /** The limit of all other events, in seconds. */
  readonly otherLimit: number;
  readonly silence: number;
}

/** What a strict client says when it is interrupted, or cannot print its answer. */
export const CUT_SHORT = "Hookline: cut short, so this is denied.";
/** What a client says that has nowhere to print its answer. */
export const NO_OUTPUT = "Hookline: stdout is closed, so this is denied.";
/** Why a rewrite was not delivered. */
export const NOISY_SHELL =
  "Hookline: a rule changed this call, but start-up files of the shell print text before the answer, so the agent would run the original.";
/** The fields in which agents accept a rewrite of a call or prompt. */
export const REWRITE_FIELDS = ["updatedInput", "modifiedArgs", "modifiedPrompt", "tool_input", "updated_input"];
/** What start-up files depend on, as the agent's shell writes it. The level has another name, because shells count it up. */
export const SHELL_VARIABLES = ["HOME=$HOME", "BASH_ENV=$BASH_ENV", "ZDOTDIR=$ZDOTDIR", "LEVEL=$SHLVL"];
/** A longer input is cut here. The hub refuses it because of its length. */
export const MAX_INPUT_BYTES = 33 * 1024 * 1024;

const OBSERVE_MS = 5_000;
/** Transforms of an output need time too. */
const OUTPUT_MS = 60_000;

/** Throws `HL_BAD_OPTION` for names and times that no client can have. */
export function clientData(options: ClientOptions): ClientData {
  const {
    agent,
    folder,
    sockets,
    owner,
    isStrict,
    fill,
    denials,
    passes = {},
    withheld = {},
    agentTimeoutMs,
    silenceMs = SILENCE_MS,
  } = options;
  const { observeTimeoutMs = OBSERVE_MS } = options;
  const gates = Object.entries(denials).map(([native, denial]): ClientEvent => {
    const alone = isStrict ? denial : passes[native];
    return {
      native: eventName(native),
      isGate: true,
      limit: seconds(answerLimit(agentTimeoutMs)),
      ...(alone !== undefined && { denial: alone }),
    };
  });
  const after = Object.entries(withheld).map(
    ([native, held]): ClientEvent => ({
      native: eventName(native),
      isGate: false,
      limit: seconds(answerLimit(Math.min(OUTPUT_MS, agentTimeoutMs))),
      held,
    }),
  );
  const replies = [...Object.values(denials), ...Object.values(withheld)].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  if ([agent, folder, ...sockets, ...replies].some((text) => text.includes("\0")))
    throw new HookError("HL_BAD_OPTION", `The client for ${agent} would contain a NUL character, which no shell can read.`);
  return {
    agent,
    folder,
    sockets,
    owner,
    ...(options.group !== undefined && { group: options.group }),
    isStrict,
    ...(fill !== undefined && { fill }),
    ...(options.shell !== undefined && { shell: options.shell }),
    events: [...gates, ...after],
    unheard: (options.unheard ?? []).map(eventName),
    otherLimit: seconds(Math.min(observeTimeoutMs, answerLimit(agentTimeoutMs))),
    silence: Math.max(1, Math.ceil(silenceMs / 1000)),
  };
}

/** Well before the agent stops waiting, because it would continue without an answer. */
export function answerLimit(agentTimeoutMs: number): number {
  const margin = Math.min(5_000, Math.max(500, agentTimeoutMs / 10));
  return Math.max(agentTimeoutMs / 2, agentTimeoutMs - margin);
}

function seconds(ms: number): number {
  if (Number.isFinite(ms) && ms >= 1) return ms / 1000;
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
