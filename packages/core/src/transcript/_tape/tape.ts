import { sessionOf } from "../../bus/event.js";
import { type EntryOf, entriesOf, type Place, type Tape, type TranscriptEntry } from "../entries.js";

/** Everything a tape says about one dispatch. */
export interface Dispatch {
  readonly id: string;
  readonly event: string;
  readonly depth: number;
  readonly session: string;
  /** Its first entry's number. */
  readonly begins: number;
  readonly calls: EntryOf<"hook_call">[];
  readonly answers: EntryOf<"hook_returned" | "hook_vetoed">[];
  /** What came of it; undefined when it never ended. */
  end: EntryOf<"decision" | "transformed" | "emitted"> | undefined;
}

/** The dispatches of a tape in the order they began: their entries interleave, and are told apart by the event's id. */
export function dispatchesOf(tape: Tape): Dispatch[] {
  const dispatches = new Map<string, Dispatch>();
  for (const entry of entriesOf(tape)) {
    if (!("id" in entry)) continue;
    const dispatch = dispatches.get(entry.id) ?? begin(entry);
    dispatches.set(entry.id, dispatch);
    if (entry.type === "hook_call") dispatch.calls.push(entry);
    else if (entry.type === "hook_returned" || entry.type === "hook_vetoed") dispatch.answers.push(entry);
    else dispatch.end = entry;
  }
  return [...dispatches.values()];
}

/** The failure of a guard registered with `abort`, which ends a gate without a decision. */
export function abortOf({ end, answers }: Dispatch): EntryOf<"hook_returned" | "hook_vetoed"> | undefined {
  return end === undefined ? answers.find(({ onFailure }) => onFailure === "abort") : undefined;
}

/** What a dispatch was given. `value` is there in a transform. */
export interface Input {
  readonly payload: unknown;
  readonly value?: unknown;
}

/** Only a handler can rewrite, so the first one called saw what was given. */
export function inputOf(dispatch: Dispatch): Input {
  const { payload = {}, value }: Partial<Input> = dispatch.end ?? abortOf(dispatch) ?? dispatch.calls[0] ?? {};
  return value === undefined ? { payload } : { payload, value };
}

export function sessionIdOf(payload: unknown): string {
  return sessionOf(payload)?.id ?? "";
}

function begin(entry: Extract<TranscriptEntry, Place>): Dispatch {
  const { id, event, depth = 0, n: begins } = entry;
  const session = sessionIdOf("payload" in entry ? entry.payload : undefined);
  return { id, event, depth, session, begins, calls: [], answers: [], end: undefined };
}
