import type { Bus } from "../bus/bus.js";
import { checkPayload } from "../bus/event.js";
import { HookError } from "../catalog/errors.js";
import type { EventKind } from "../catalog/events.js";
import { resolveEvent } from "../catalog/names.js";
import { redactValue } from "../redact/answer.js";
import { createRedactor, type RedactOptions } from "../redact/redact.js";
import { differenceAt } from "./_tape/compare.js";
import { restoreAbort, restoreDecision, restoreResult } from "./_tape/restore.js";
import { abortOf, type Dispatch, dispatchesOf } from "./_tape/tape.js";
import { WaitingCalls } from "./_tape/waiting-calls.js";
import type { EntryOf, Tape } from "./entries.js";

/** Repeat the option `redact` of the transcript if it is a function. Paths and secret-looking names need not be repeated. */
export type ReplayOptions = RedactOptions;

/** The part of a bus that an agent calls, answered from a tape. No handler is called. */
export interface ReplayBus extends Pick<Bus, "decide" | "transform" | "collect" | "emit" | "emitSync"> {
  /** Recorded decisions and transforms that were not asked for yet. */
  readonly remaining: readonly RecordedCall[];
}

/** A call on the tape. */
export interface RecordedCall {
  /** Its first entry. */
  readonly n: number;
  readonly event: string;
}

/** Answers `decide`, `transform` and `collect` as they were answered when the tape was recorded; `emit` does nothing. */
export function replayBus(tape: Tape, options: ReplayOptions = {}): ReplayBus {
  const dispatches = dispatchesOf(tape);
  const ended = (type: string) => dispatches.filter(({ end }) => end?.type === type);
  const gates = new WaitingCalls(dispatches.filter((dispatch) => dispatch.end?.type === "decision" || abortOf(dispatch) !== undefined));
  const transforms = new WaitingCalls(ended("transformed"));
  const emitted = ended("emitted");
  const redactor = options.redact === undefined ? asJson : createRedactor(options, () => {});

  const replay = {
    decide(event: string, payload: unknown) {
      const name = nameOf(event, "gate");
      checkPayload(name, payload);
      const dispatch = gates.take(name, { payload: redactor.payload(payload) });
      const abort = abortOf(dispatch);
      if (abort !== undefined) return Promise.reject(restoreAbort(name, abort));
      return restoreDecision(dispatch, dispatch.end as EntryOf<"decision">, payload);
    },
    transform(event: string, value: unknown, context: unknown = {}) {
      const name = nameOf(event, "transform");
      checkPayload(name, context);
      const input = { payload: redactor.payload(context), value: redactValue(redactor, { name, payload: context }, value) };
      const dispatch = transforms.take(name, input);
      return restoreResult(dispatch, dispatch.end as EntryOf<"transformed">, value);
    },
    async collect(event: string, payload: unknown = {}) {
      return takeAnswers(emitted, resolveEvent(event).name, redactor.payload(payload));
    },
    emit: (): void => {},
    emitSync: (): void => {},
    get remaining() {
      return [...gates.remaining, ...transforms.remaining]
        .sort((a, b) => a.begins - b.begins)
        .map(({ begins: n, event }) => ({ n, event }));
    },
  };
  return replay as unknown as ReplayBus;
}

// A hidden value in the record equals any value, so paths and secrets need not be hidden again.
const asJson = createRedactor({ redactSecrets: false }, () => {});

function nameOf(event: string, wanted: EventKind): string {
  const { name, spec } = resolveEvent(event);
  if (spec.kind === wanted) return name;
  throw new HookError("HL_WRONG_KIND", `"${name}" is an event of kind ${spec.kind}, not ${wanted}.`, { event: name });
}

/** The results of the handlers of an emitted event, in the order of their calls. Emitted events may be replayed in any order. */
function takeAnswers(emitted: Dispatch[], event: string, payload: unknown): unknown[] {
  const index = emitted.findIndex(({ end, event: name }) => name === event && differenceAt(end?.payload, payload) === undefined);
  const [dispatch] = index < 0 ? [] : emitted.splice(index, 1);
  if (dispatch === undefined) throw new HookError("HL_REPLAY_MISS", `The tape has no such call of "${event}".`, { event });
  const answerOf = ({ handler, owner }: EntryOf<"hook_call">): unknown =>
    dispatch.answers.find((answer) => answer.handler === handler && answer.owner === owner)?.outcome;
  return dispatch.calls.map(answerOf).filter((outcome) => outcome !== undefined && outcome !== null);
}
