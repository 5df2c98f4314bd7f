import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Ask, FailureMode, Verdict } from "../bus/types.js";
import type { Actor } from "../catalog/actor.js";
import type { DecisionStep, EnvelopeSource } from "../catalog/envelope.js";
import type { ReminderSpec } from "../catalog/reminder.js";
import type { Concern } from "../match/concern.js";

/** Spoken over `line.sock`, a JSON object a line. What begins with this is an envelope, everything else a frame with a `type`. */
export const ENVELOPE_START = '{"v":';
export const CONNECTION_VERSION = 1;
/** The longest line either side takes. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** An event that attached processes ask the hub about before they go on: a gate that it has guards for, or a transform that it has handlers for. */
export interface RemoteGate {
  /** A canonical name. */
  readonly event: string;
  readonly timeoutMs: number;
  /** What a missing answer means. */
  readonly onFailure: FailureMode;
}

/** What a call must have to concern the hub, by gate. A gate that is missing is always asked. */
export interface PrefilterData {
  readonly version: string;
  readonly gates: { readonly [event: string]: readonly Concern[] };
  /** Tools, in lower case, and fields of inputs that run commands. Such a call is always asked. */
  readonly shell: { readonly tools: readonly string[]; readonly fields: readonly string[] };
}

export type ByeReason = "bad_token" | "stopping" | "token_rotated" | "disk_full" | "overloaded" | "name" | "protocol";

/** What a forwarder says, besides envelopes. */
export type ClientFrame =
  | { readonly type: "hello"; readonly v: number; readonly nonce: string }
  /** `cwd`: the folder it works in, which says whose project's guards are asked. `spool`: the writer of the spool whose events the line brings. */
  | { readonly type: "login"; readonly proof: string; readonly source: EnvelopeSource; readonly cwd?: string; readonly spool?: string }
  | {
      readonly type: "gate";
      readonly id: string;
      /** The id that the event will have when it is sent. */
      readonly eventId: string;
      readonly event: string;
      readonly payload: unknown;
      readonly session?: { readonly id: string; readonly parentId?: string };
      readonly deadlineMs: number;
    }
  /** A value for the hub's handlers of a transform; `payload` is its context. */
  | {
      readonly type: "transform";
      readonly id: string;
      readonly eventId: string;
      readonly event: string;
      readonly payload: unknown;
      readonly value: unknown;
      readonly session?: { readonly id: string; readonly parentId?: string };
      readonly deadlineMs: number;
    }
  /** Requests the right to let calls pass that cannot concern the hub; `version`: of the prefilter that the process has. */
  | { readonly type: "lease"; readonly n: number; readonly version?: string }
  /** The process uses no version before this one any more. */
  | { readonly type: "unleased"; readonly version: string }
  /** Effects with these ids have reached the agent. */
  | { readonly type: "delivered"; readonly ids: readonly string[] }
  /** Asks a person. */
  | ({ readonly type: "approve"; readonly id: string; readonly payload: unknown } & ApprovalFields)
  /** The process waits for the answer no longer; `error` says why, as a code. */
  | { readonly type: "unapprove"; readonly id: string; readonly error?: string }
  /** The answer to `report`: rows of `bus.list()`, each with its `stats`. */
  | { readonly type: "handlers"; readonly handlers: readonly object[] }
  | ({ readonly type: "counters" } & ForwarderCounters);

interface ApprovalFields {
  readonly event: string;
  /** The id that the event will have when it is sent. */
  readonly eventId: string;
  readonly session?: { readonly id: string; readonly parentId?: string };
  readonly reason?: string;
  readonly by: string;
  readonly actor: Actor;
  /** All that ask, the first as well. */
  readonly asks: readonly Ask[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What became of a forwarder's events so far: accepted = acked + pending + the sum of dropped. */
export interface ForwarderCounters {
  readonly accepted: number;
  readonly acked: number;
  readonly pending: number;
  readonly dropped: { readonly [reason: string]: number };
  /** The last number given. */
  readonly seq: number;
}

/** What the hub says. */
export type HubFrame =
  | { readonly type: "proof"; readonly v: number; readonly instance: string; readonly proof: string; readonly nonce: string }
  | { readonly type: "welcome"; readonly instance: string; readonly gates: readonly RemoteGate[] }
  | { readonly type: "gates"; readonly gates: readonly RemoteGate[] }
  | { readonly type: "ack"; readonly n: number }
  | { readonly type: "refused"; readonly n: number; readonly code: string; readonly reason: string }
  | HubVerdictFrame
  | TransformedFrame
  | LateFrame
  | EffectsFrame
  /** For so long from the request on, at most 1 s. `prefilter`: if the process has another one. */
  | { readonly type: "leased"; readonly n: number; readonly version: string; readonly ms: number; readonly prefilter?: PrefilterData }
  /** The policy has changed: ask about every call until the next lease. */
  | { readonly type: "unlease"; readonly version: string }
  /** Asks what is registered. */
  | { readonly type: "report" }
  | ApprovedFrame
  | { readonly type: "bye"; readonly reason: ByeReason };

/** A person's answer to an `approve` frame; `error` where there is none. */
export interface ApprovedFrame {
  readonly type: "approved";
  readonly id: string;
  readonly verdict?: "allow" | "deny";
  readonly reason?: string;
  readonly by?: string;
  readonly actor?: Actor;
  readonly payload?: unknown;
  readonly error?: string;
}

/** Instead of a verdict, shortly before the asker gives up: which guard has not answered, and what the others did. */
export interface LateFrame {
  readonly type: "late";
  readonly id: string;
  readonly by?: string;
  readonly trail?: readonly DecisionStep[];
}

/** The hub's answer to a `gate` frame. */
export interface HubVerdictFrame {
  readonly type: "verdict";
  readonly id: string;
  readonly verdict: Verdict;
  /** The verdict and its actor's name, for a process of an earlier version. */
  readonly decision?: Verdict;
  readonly by?: string;
  readonly reason?: string;
  /** Whose verdict it is. */
  readonly actor?: Actor;
  /** All that ask, when the verdict is `ask`. */
  readonly asks?: readonly Ask[];
  /** Only when it was rewritten. */
  readonly payload?: unknown;
  readonly injections?: readonly string[];
  readonly reminders?: readonly ReminderSpec[];
  readonly endLoop?: true;
  /** The code of what failed. */
  readonly cause?: string;
  /** What each actor at the hub did. */
  readonly trail?: readonly DecisionStep[];
}

/** The hub's answer to a `transform` frame. */
export interface TransformedFrame {
  readonly type: "transformed";
  readonly id: string;
  /** Only when it was replaced. */
  readonly value?: unknown;
  readonly injections?: readonly string[];
  readonly reminders?: readonly ReminderSpec[];
  /** What each actor at the hub did. */
  readonly trail?: readonly DecisionStep[];
}

/** What the hub's observers or an operator leave for the model, to be told at the session's next boundary. */
export interface EffectsFrame {
  readonly type: "effects";
  readonly id: string;
  /** Missing where it is for a boundary without a session. */
  readonly session?: { readonly id: string };
  /** Which handlers left the reminders, and at which event. */
  readonly by?: string;
  readonly event?: string;
  readonly injections?: readonly string[];
  readonly reminders?: readonly ReminderSpec[];
  /** The injections are the reason for which the next tool call or checkpoint is blocked. */
  readonly interrupt?: true;
}

export function createNonce(): string {
  return randomBytes(24).toString("hex");
}

/** Shows that one knows the token without saying it: neither a squatter nor a recorded proof is of any use. */
export function prove(token: string, who: "hub" | "client", instance: string, nonce: string): string {
  return createHmac("sha256", token).update(`hookline 1 ${who} ${instance} ${nonce}`).digest("hex");
}

/** Compares in constant time. */
export function isProof(given: unknown, expected: string): boolean {
  if (typeof given !== "string" || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given.padEnd(expected.length)), Buffer.from(expected));
}
