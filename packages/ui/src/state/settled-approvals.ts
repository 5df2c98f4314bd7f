import { effect, signal } from "@preact/signals";
import { hub } from "../api/calls.js";
import { isFields, textAt } from "../text/fields.js";
import { type Approval, approvals } from "./approvals.js";
import { hubInstance, lastReply } from "./connection.js";

/** What became of a call that waits no more. */
interface Fate {
  readonly verdict: "allow" | "deny";
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
  /** Why the question ended without a person's answer: a code. */
  readonly cause?: string | undefined;
  /** The hub took it that there would be no answer: a real one counts instead. */
  readonly isPresumed?: boolean | undefined;
  readonly isEdited?: boolean | undefined;
  readonly isAlways?: boolean | undefined;
}

export interface SettledApproval {
  readonly approval: Approval;
  /** Undefined until the hub has said. */
  readonly fate: Fate | "restarted" | undefined;
  /** Answered in this tab. */
  readonly isOwn: boolean;
  /** What runs instead, if it was edited in this tab. */
  readonly edited?: unknown;
}

const SHOWN_MS = 30_000;
const LOOK_UP_MS = 1_000;
const MAX_KNOWN = 200;
/** Of many that go at once, those that came last. */
const MAX_SHOWN = 20;

/** Calls that waited a moment ago: they stay for a while where they were, and say what became of them. */
export const settled = signal<readonly SettledApproval[]>([]);

const fates = new Map<string, Fate>();
/** What was answered in this tab, each with what it was edited to. */
const own = new Map<string, unknown>();

/** Said before the answer is sent, for the list may be another before the hub's answer is here. */
export function noteOwnAnswer(id: string, edited?: unknown): void {
  own.set(id, edited);
}

/** It did not arrive, or came too late. */
export function forgetOwnAnswer(id: string): void {
  own.delete(id);
}

export function dismissSettled(id: string): void {
  dismissAll(new Set([id]));
}

function dismissAll(ids: ReadonlySet<string>): void {
  settled.value = settled.value.filter(({ approval }) => !ids.has(approval.id));
}

export function followSettled(): void {
  let before: readonly Approval[] = [];
  let instance: string | undefined;
  effect(() => {
    const list = approvals.value;
    if (list === undefined) {
      before = [];
      settled.value = [];
      return;
    }
    const isRestarted = instance !== undefined && instance !== hubInstance.peek();
    instance = hubInstance.peek();
    const waiting = new Set(list.map(({ id }) => id));
    const gone = before.filter(({ id }) => !waiting.has(id));
    before = list;
    if (gone.length > 0) settle(gone, isRestarted);
  });
  // The list can be there before the stream has named the hub's instance.
  effect(() => {
    instance ??= hubInstance.value;
  });
  effect(() => take(lastReply.value?.payload));
}

function settle(gone: readonly Approval[], isRestarted: boolean): void {
  const latest = gone.slice(-MAX_SHOWN).map((approval): SettledApproval => {
    const fate = isRestarted ? "restarted" : fates.get(approval.id);
    return { approval, fate, isOwn: own.has(approval.id), edited: own.get(approval.id) };
  });
  const ids = new Set(latest.map(({ approval }) => approval.id));
  settled.value = [...settled.peek(), ...latest].slice(-MAX_SHOWN);
  setTimeout(() => dismissAll(ids), SHOWN_MS);
  lookUp(ids, LOOK_UP_MS);
}

/** The stream does not tell of answers while it is filtered for something else. A busy hub may store the answer later: as long as the card is shown, the next look comes after twice the time. */
function lookUp(ids: ReadonlySet<string>, afterMs: number): void {
  setTimeout(async () => {
    if (!settled.value.some((one) => ids.has(one.approval.id) && one.fate === undefined)) return;
    const { events } = await hub.events("event=permission:replied&limit=100").catch(() => ({ events: [] }));
    for (const { payload } of events) if (ids.has(readReply(payload)[0] ?? "")) take(payload);
    lookUp(ids, afterMs * 2);
  }, afterMs);
}

function take(payload: unknown): void {
  const [id, fate] = readReply(payload);
  if (id === undefined || fate === undefined || (fate.isPresumed === true && fates.has(id))) return;
  fates.set(id, fate);
  if (fates.size > MAX_KNOWN) fates.delete(fates.keys().next().value as string);
  if (settled.peek().some(({ approval }) => approval.id === id))
    settled.value = settled.peek().map((one) => (one.approval.id === id ? { ...one, fate } : one));
}

function readReply(payload: unknown): [id?: string | undefined, fate?: Fate] {
  const told = isFields(payload) && isFields(payload.approval) ? payload.approval : undefined;
  if (told === undefined) return [];
  const fate: Fate = {
    verdict: told.verdict === "allow" ? "allow" : "deny",
    by: textAt(told, "by"),
    reason: textAt(told, "reason"),
    cause: textAt(told, "cause"),
    isPresumed: told.isPresumed === true,
    isEdited: told.isEdited === true,
    isAlways: told.always === true,
  };
  return [textAt(told, "id"), fate];
}
