import type { PlacedEvent } from "../../api/answers.js";
import { type Fields, isFields, textAt } from "../../text/fields.js";

type Step = NonNullable<NonNullable<PlacedEvent["decision"]>["trail"]>[number];

interface Dispatch {
  readonly id: string;
  readonly event: string;
  at: string;
  asked: unknown;
  payload: unknown;
  decision: Fields | undefined;
  readonly trail: Step[];
  readonly numbers: number[];
}

export interface Assembly {
  /** An entry, and where in the file it stands; false for a line that is not a transcript entry. */
  add(entry: Fields, line: number): boolean;
  events(placeBefore: number): readonly PlacedEvent[];
  /** The numbers of each event's entries. */
  numbers(): readonly (readonly number[])[];
}

const FRAME = new Set(["open", "close"]);

/** Puts the entries of each dispatch together: what was asked, what each handler said, what was decided. */
export function createAssembly(): Assembly {
  const dispatches = new Map<string, Dispatch>();
  let app = "transcript";
  let clock = new Date(0).toISOString();

  const dispatchOf = (entry: Fields): Dispatch | undefined => {
    const [id, event] = [textAt(entry, "id"), textAt(entry, "event")];
    if (id === undefined || event === undefined) return undefined;
    const known = dispatches.get(id);
    if (known !== undefined) return known;
    const made: Dispatch = { id, event, at: clock, asked: undefined, payload: entry.payload, decision: undefined, trail: [], numbers: [] };
    dispatches.set(id, made);
    return made;
  };
  return {
    add(entry, line) {
      const type = textAt(entry, "type");
      if (type === undefined) return false;
      clock = textAt(entry, "at") ?? clock;
      if (FRAME.has(type)) {
        app = textAt(entry, "source", "app") ?? app;
        return true;
      }
      const dispatch = dispatchOf(entry);
      if (dispatch === undefined) return false;
      dispatch.numbers.push(typeof entry.n === "number" ? entry.n : line);
      take(dispatch, type, entry);
      return true;
    },
    events: (placeBefore) => [...dispatches.values()].map((dispatch, index) => toEvent(dispatch, { app, place: placeBefore + index + 1 })),
    numbers: () => [...dispatches.values()].map(({ numbers }) => numbers),
  };
}

function take(dispatch: Dispatch, type: string, entry: Fields): void {
  if (type === "hook_returned" || type === "hook_vetoed") dispatch.trail.push(toStep(entry));
  else if (type === "decision") {
    dispatch.decision = entry;
    dispatch.asked = entry.out === undefined ? undefined : entry.payload;
    dispatch.payload = entry.out ?? entry.payload;
  } else if (type !== "hook_call") dispatch.payload = entry.payload;
}

function toStep(entry: Fields): Step {
  const [owner, reason, failure] = [textAt(entry, "owner"), textAt(entry, "reason"), textAt(entry, "failure")];
  const kind = (textAt(entry, "kind") ?? "guard") as Step["actor"]["kind"];
  return {
    actor: { kind, name: textAt(entry, "handler") ?? "?", ...(owner !== undefined && { owner }) },
    stage: textAt(entry, "stage") ?? "",
    action: textAt(entry, "action") ?? "",
    round: typeof entry.round === "number" ? entry.round : 0,
    ...(reason !== undefined && { reason }),
    ...(failure !== undefined && { failure }),
    ...(typeof entry.durationMs === "number" && { durationMs: entry.durationMs }),
  };
}

function toEvent(
  { id, event, at, asked, payload, decision, trail }: Dispatch,
  { app, place }: { readonly app: string; readonly place: number },
): PlacedEvent {
  const session = isFields(payload) ? textAt(payload, "session", "id") : undefined;
  const isModified = decision?.modified === true;
  const verdict = decision === undefined ? undefined : (textAt(decision, "verdict") as "pass");
  const [by, reason] = [textAt(decision, "by"), textAt(decision, "reason")];
  return {
    v: 2,
    id,
    seq: place,
    place,
    at,
    event,
    source: { app, host: "", pid: 0, instance: "" },
    payload,
    hops: [],
    ...(session !== undefined && { session: { id: session } }),
    ...(verdict !== undefined && {
      decision: {
        verdict,
        modified: isModified,
        endLoop: false,
        trail,
        ...(by !== undefined && { by }),
        ...(reason !== undefined && { reason }),
        ...(asked !== undefined && { asked }),
      },
    }),
  };
}
