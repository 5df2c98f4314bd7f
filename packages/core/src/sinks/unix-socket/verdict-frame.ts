import type { ApprovalReply } from "../../bus/types.js";
import type { Frame } from "./frames.js";

/** A listener's answer: `{"type":"verdict","id":…,"decision":"allow|deny|ask|pass","reason"?:…,"payload"?:…,"by"?:…}`. */
export interface VerdictFrame {
  readonly id: string;
  readonly decision: (typeof DECISIONS)[number];
  readonly reason?: string;
  readonly by?: string;
  /** What the call is to be rewritten to. */
  readonly payload?: object;
}

/** One of the plain answers a gate's handler may give. */
export type SocketAnswer =
  | { readonly decision: "allow" | "deny" | "ask"; readonly reason?: string; readonly modify?: unknown }
  | { readonly modify: unknown; readonly reason?: string };

const DECISIONS = ["allow", "deny", "ask", "pass"] as const;

/** The verdict in a frame, or nothing if it is none. `null` is as good as absent: many languages write it for what they do not have. */
export function readVerdict(frame: Frame): VerdictFrame | undefined {
  const { type, id, decision, reason, by, payload } = frame;
  if (type !== "verdict" || typeof id !== "string" || !isDecision(decision)) return undefined;
  if (!isTextOrNothing(reason) || !isTextOrNothing(by)) return undefined;
  if (payload !== undefined && (typeof payload !== "object" || Array.isArray(payload))) return undefined;
  return { id, decision, ...textIn("reason", reason), ...textIn("by", by), ...(payload && { payload }) };
}

/** What the bus is told. A rewrite beside a deny is of no use to anybody. */
export function answerOf({ decision, reason, payload }: VerdictFrame): SocketAnswer | undefined {
  const why = textIn("reason", reason);
  const change = payload === undefined || decision === "deny" ? {} : { modify: payload };
  if (decision !== "pass") return { decision, ...why, ...change };
  return payload === undefined ? undefined : { modify: payload, ...why };
}

/** A person's answer; one who asks back, or has no opinion, has not answered. */
export function replyOf({ decision, reason, by, payload }: VerdictFrame): ApprovalReply | undefined {
  if (decision !== "allow" && decision !== "deny") return undefined;
  return { verdict: decision, ...textIn("reason", reason), ...textIn("by", by), ...(payload && decision === "allow" && { payload }) };
}

function isDecision(word: unknown): word is VerdictFrame["decision"] {
  return DECISIONS.includes(word as VerdictFrame["decision"]);
}

function isTextOrNothing(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === "string";
}

function textIn<K extends string>(key: K, text: string | null | undefined): { readonly [key in K]?: string } {
  return (typeof text === "string" ? { [key]: text } : {}) as { readonly [key in K]?: string };
}
