import { HookError } from "../../catalog/errors.js";
import { differenceAt, quoteAt } from "./compare.js";
import { type Dispatch, type Input, inputOf, sessionIdOf } from "./tape.js";

/**
 * Recorded calls that have not been replayed yet. Calls of one event in one session must come in their recorded order. Calls that were in
 * flight together may come in any order. Nested calls need not come, because no handler runs that would start them.
 */
export class WaitingCalls {
  readonly #waiting = new Map<string, Dispatch[]>();

  constructor(dispatches: readonly Dispatch[]) {
    for (const dispatch of dispatches) {
      const calls = this.#waiting.get(dispatch.event);
      if (calls === undefined) this.#waiting.set(dispatch.event, [dispatch]);
      else calls.push(dispatch);
    }
  }

  /** The calls that have not been replayed, in the order in which they began, without nested ones. */
  get remaining(): Dispatch[] {
    const waiting = [...this.#waiting.values()].flat().filter(({ depth }) => depth === 0);
    return waiting.sort((a, b) => a.begins - b.begins);
  }

  /** The recorded call that answers this one. Throws `HL_REPLAY_MISS`, naming what was expected. */
  take(event: string, input: Input): Dispatch {
    const calls = this.#waiting.get(event) ?? [];
    const index = calls.findIndex((dispatch, at) => differenceAt(inputOf(dispatch), input) === undefined && isDue(calls, at));
    const [dispatch] = index < 0 ? [] : calls.splice(index, 1);
    if (dispatch === undefined) throw miss(event, calls, input);
    return dispatch;
  }
}

/** True if every earlier call that still waits is nested, is of another session, or was not over when this one began. */
function isDue(calls: readonly Dispatch[], at: number): boolean {
  const due = calls[at] as Dispatch;
  const isFree = ({ depth, end, session }: Dispatch): boolean =>
    depth > 0 || end === undefined || end.n > due.begins || session !== due.session;
  return calls.every((earlier, index) => index >= at || isFree(earlier));
}

function miss(event: string, calls: readonly Dispatch[], input: Input): HookError {
  const session = sessionIdOf(input.payload);
  const waiting = calls.filter(({ depth }) => depth === 0);
  const next = waiting.find((dispatch) => dispatch.session === session) ?? waiting[0];
  if (next === undefined) return new HookError("HL_REPLAY_MISS", `The tape has no more calls of "${event}".`, { event });
  const place = differenceAt(inputOf(next), input);
  // Only what was recorded is quoted: what was given may hold secrets.
  const how = place === undefined ? "is the same, but another comes first" : `has ${quoteAt(inputOf(next), place)} at ${place.join(".")}`;
  return new HookError("HL_REPLAY_MISS", `This call of "${event}" is not next on the tape: entry ${next.begins} ${how}.`, { event });
}
