import type { HookError } from "../catalog/errors.js";
import { asyncFastPath, isPass } from "./async-fast-path.js";
import { coarseTick } from "./clock.js";
import { DecisionRecord } from "./decision.js";
import type { BusEvent } from "./event.js";
import { crashed } from "./failures.js";
import { Gate } from "./gate.js";
import { observeStage } from "./observe.js";
import { promiseOf } from "./promises.js";
import type { AnyHandler, Registration } from "./registration.js";
import { MAX_UNIFORM, type Roster, type Slot } from "./slot.js";
import { createToolIndex } from "./tool-index.js";
import type { DecideOptions, Decision } from "./types.js";

/** All bits, whatever their number: no handler has matched so far. */
const NONE_MATCHED = -1;

/**
 * Most calls pass every guard without a word, and this path is for them: it allocates an event and a decision,
 * and nothing per handler. Whatever else happens (an answer, a failure, a special handler) is handed to `Gate` at that handler.
 */
export function decideFast(slot: Slot, first: BusEvent, roster: Roster, options: DecideOptions | undefined): Decision | Promise<Decision> {
  let event = first;
  const { payload } = first;
  if (slot.isUniform && options === undefined) {
    const tick = coarseTick();
    if (tick === slot.lastTick) return decideUniform(slot, event, tick);
    slot.lastTick = tick;
    return new Gate(slot, event, roster).timed().run();
  }
  if (!slot.isPlain || slot.name === "finish:before") return new Gate(slot, event, roster).under(options).run();
  const { deciders, observers } = roster;
  if (deciders.length > MAX_UNIFORM || options !== undefined) return decideUnmatched(slot, event, roster, options);
  const tick = coarseTick();
  let unmatched = 0;
  for (let index = 0; index < deciders.length; index++) {
    const registration = deciders[index] as Registration;
    if (registration.isSpecial) return new Gate(slot, event, roster).takeOver(index, unmatched).run();
    const { handler } = registration;
    if (registration.isAsync) return asyncFastPath(slot).at(index, unmatched, event, roster).begin();
    let returned: unknown;
    try {
      if (registration.predicate !== undefined && !registration.predicate(payload)) {
        unmatched |= 1 << index;
        continue;
      }
      if (registration.budget === 0) return new Gate(slot, event, roster).takeOver(index, unmatched, true).run();
      registration.budget--;
      registration.lastTick = tick;
      returned = handler(event);
    } catch (thrown) {
      return new Gate(slot, event, roster)
        .takeOver(index, unmatched)
        .sawFailure(crashed(registration, slot, thrown))
        .run();
    }
    if (isPass(returned)) {
      if (event.extras !== undefined && event.isKept) event = event.sibling();
      continue;
    }
    const promise = promiseOf(returned);
    if (promise === undefined) return new Gate(slot, event, roster).takeOver(index, unmatched).heard(returned).run();
    return asyncFastPath(slot).at(index, unmatched, event, roster).follow(promise);
  }
  if (observers.length > 0) observeStage(observers, event);
  return new DecisionRecord("pass", payload, deciders, unmatched);
}

/**
 * A long list, or a call with options. Of a hundred rules hardly one is for the call at hand, so nothing is kept until one is:
 * a step in the trail for each would cost 50 ns, and most of what a rule costs.
 */
function decideUnmatched(slot: Slot, event: BusEvent, roster: Roster, options: DecideOptions | undefined): Decision | Promise<Decision> {
  const { deciders, observers } = roster;
  roster.byTool ??= createToolIndex(deciders);
  const concerned = roster.byTool(event.payload) ?? [...deciders.keys()];
  for (const index of concerned) {
    if (options?.signal?.aborted === true) break;
    const registration = deciders[index] as Registration;
    const { isSpecial, predicate } = registration;
    const isAsked = !isSpecial && predicate !== undefined;
    let failure: HookError | undefined;
    try {
      if (isAsked && !predicate(event.payload)) continue;
    } catch (thrown) {
      failure = crashed(registration, slot, thrown);
    }
    const gate = new Gate(slot, event, roster).takeOver(index, NONE_MATCHED, isAsked && failure === undefined);
    return (failure === undefined ? gate : gate.sawFailure(failure)).under(options).run();
  }
  if (options?.signal?.aborted === true) return new Gate(slot, event, roster).under(options).run();
  if (observers.length > 0) observeStage(observers, event);
  return new DecisionRecord("pass", event.payload, deciders, NONE_MATCHED);
}

// Five guards for the price of two: nothing is counted or checked per handler but what it returns.
function decideUniform(slot: Slot, first: BusEvent, tick: number): Decision | Promise<Decision> {
  const { roster } = slot;
  const { functions, deciders } = roster;
  let event = first;
  for (let index = 0; index < functions.length; index++) {
    const handler = functions[index] as AnyHandler;
    let returned: unknown;
    try {
      returned = handler(event);
    } catch (thrown) {
      return leaveUniform(slot, event, roster, index, tick)
        .sawFailure(crashed(deciders[index] as Registration, slot, thrown))
        .run();
    }
    if (isPass(returned)) {
      if (event.extras !== undefined && event.isKept) event = event.sibling();
      continue;
    }
    const promise = promiseOf(returned);
    if (promise === undefined) return leaveUniform(slot, event, roster, index, tick).heard(returned).run();
    countTo(deciders, index, tick);
    return asyncFastPath(slot).at(index, 0, event, roster).follow(promise);
  }
  countAll(slot, roster, tick);
  return new DecisionRecord("pass", event.payload, deciders, 0);
}

/** A handler did not pass: those called so far are counted one by one, and later ones count themselves. */
function leaveUniform(slot: Slot, event: BusEvent, roster: Roster, index: number, tick: number): Gate {
  countTo(roster.deciders, index, tick);
  return new Gate(slot, event, roster).takeOver(index, 0);
}

/** In the slot, unless the list has been replaced meanwhile: then the slot would count those who came later. */
function countAll(slot: Slot, roster: Roster, tick: number): void {
  if (slot.roster !== roster) return countTo(roster.deciders, roster.deciders.length - 1, tick);
  slot.uncounted++;
  slot.lastTick = tick;
}

function countTo(handlers: readonly Registration[], last: number, tick: number): void {
  for (let index = 0; index <= last; index++) handlers[index]?.count(1, tick);
}
