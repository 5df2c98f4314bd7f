import { sessionIn } from "@hookline/core/internal";
import type { DecisionSummary, Envelope } from "@hookline/core/sinks";
import { readEnvelope } from "../ingest/read-envelope.js";
import { toolIn } from "../store/row.js";

/** What rules say about a call. The order is their strength: of two answers, the first one counts. */
export const SAID = ["block", "ask", "rewrite", "allow", "pass"] as const;
export type Said = (typeof SAID)[number];

/** A path in a payload, by its keys. */
export type KeyPath = readonly string[];

/** A stored event as it was before anything was decided. */
export interface RecordedCall {
  readonly envelope: Envelope;
  /** What the guards were asked about: before any rewrite. */
  readonly payload: unknown;
  readonly tool: string | undefined;
  /** Where the record hides or cuts something. */
  readonly hidden: readonly KeyPath[];
}

/** `undefined` for a body that is not an envelope. */
export function readRecordedCall(body: string): RecordedCall | undefined {
  let envelope: Envelope;
  try {
    envelope = readEnvelope(body);
  } catch {
    return undefined;
  }
  const payload = envelope.decision?.asked ?? envelope.payload;
  return { envelope, payload: withSession(payload, envelope), tool: toolIn(payload), hidden: mayHide(body) ? hiddenIn(payload) : [] };
}

/** A rule may read the session, which a process may have named beside its payload. */
function withSession(payload: unknown, { session }: Envelope): unknown {
  if (session === undefined || typeof payload !== "object" || payload === null || sessionIn(payload) !== undefined) return payload;
  return { ...payload, session };
}

const MARKER = "$hookline";
const TEXT_MARKER = "[redacted ";

// Most bodies have neither: two searches instead of a walk through the payload.
function mayHide(body: string): boolean {
  return body.includes(MARKER) || body.includes(TEXT_MARKER);
}

const MAX_HIDDEN = 1_000;

/** Where a payload hides or cuts something. */
export function hiddenIn(payload: unknown): KeyPath[] {
  const found: KeyPath[] = [];
  const visit = (node: unknown, path: KeyPath): void => {
    if (found.length >= MAX_HIDDEN) return;
    if (typeof node === "string") {
      if (node.includes(TEXT_MARKER)) found.push(path);
    } else if (typeof node === "object" && node !== null) {
      if (Object.hasOwn(node, MARKER)) found.push(path);
      else for (const [key, member] of Object.entries(node)) visit(member, [...path, key]);
    }
  };
  visit(payload, []);
  return found;
}

/** What the rules said when the call was made: those that `isMeant` names, by the steps of the decision's trail. */
export function saidByRules(decision: DecisionSummary | undefined, isMeant: (rule: string) => boolean): Said {
  let strongest = SAID.length - 1;
  for (const { actor, action } of decision?.trail ?? []) {
    const said = actor.kind === "rule" && isMeant(actor.name) ? SAID_BY_ACTION[action] : undefined;
    if (said !== undefined) strongest = Math.min(strongest, SAID.indexOf(said));
  }
  return SAID[strongest] as Said;
}

const SAID_BY_ACTION: { readonly [action: string]: Said | undefined } = { deny: "block", ask: "ask", modify: "rewrite", allow: "allow" };
