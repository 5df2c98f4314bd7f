import { HookError } from "../../catalog/errors.js";
import { differenceAt, quoteAt } from "./compare.js";
import { type Dispatch, type Input, inputOf, sessionIdOf } from "./tape.js";

/**
 * Recorded calls waiting to be asked for again. Order is asked for where it was caused: within one event of one session.
 * Calls that were in flight together may come in any order, and nested ones not at all: no handler is there to start them.
 */
export class Lanes {
  readonly #waiting = new Map<string, Dispatch[]>();

  constructor(dispatches: readonly Dispatch[]) {
    for (const dispatch of dispatches) {
      const lane = this.#waiting.get(dispatch.event);
      if (lane === undefined) this.#waiting.set(dispatch.event, [dispatch]);
      else lane.push(dispatch);
    }
  }

  /** What has not been asked for, in the order it began; nested calls are not waited for. */
  get remaining(): Dispatch[] {
    const waiting = [...this.#waiting.values()].flat().filter(({ depth }) => depth === 0);
    return waiting.sort((a, b) => a.begins - b.begins);
  }

  /** The recorded call that answers this one. Throws `HL_REPLAY_MISS`, naming what was expected. */
  take(event: string, input: Input): Dispatch {
    const lane = this.#waiting.get(event) ?? [];
    const index = lane.findIndex((dispatch, at) => differenceAt(inputOf(dispatch), input) === undefined && isDue(lane, at));
    const [dispatch] = index < 0 ? [] : lane.splice(index, 1);
    if (dispatch === undefined) throw miss(event, lane, input);
    return dispatch;
  }
}

/** Every call that still waits before it was nested, in another session, or not over when it began. */
function isDue(lane: readonly Dispatch[], at: number): boolean {
  const due = lane[at] as Dispatch;
  const isFree = ({ depth, end, session }: Dispatch): boolean =>
    depth > 0 || end === undefined || end.n > due.begins || session !== due.session;
  return lane.every((earlier, index) => index >= at || isFree(earlier));
}

function miss(event: string, lane: readonly Dispatch[], input: Input): HookError {
  const session = sessionIdOf(input.payload);
  const waiting = lane.filter(({ depth }) => depth === 0);
  const next = waiting.find((dispatch) => dispatch.session === session) ?? waiting[0];
  if (next === undefined) return new HookError("HL_REPLAY_MISS", `The tape has no more calls of "${event}".`, { event });
  const place = differenceAt(inputOf(next), input);
  // Only what was recorded is quoted: what was given may hold secrets.
  const how = place === undefined ? "is the same, but another comes first" : `has ${quoteAt(inputOf(next), place)} at ${place.join(".")}`;
  return new HookError("HL_REPLAY_MISS", `This call of "${event}" is not next on the tape: entry ${next.begins} ${how}.`, { event });
}
