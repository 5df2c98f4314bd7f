import { findEvent, HookError, type TransformResult } from "@hookline/core";
import { DEFAULT_HANDLER_TIMEOUT_MS, withheldValue } from "@hookline/core/internal";
import { z } from "zod";
import { inertDecision } from "../decisions/inert-decision.js";
import { type Answer, json } from "../http/answer.js";
import { refusedWith } from "../http/refused.js";
import type { Gates, TransformRequest } from "../parts.js";
import type { TransformAnswer } from "../protocol.js";
import { signalled } from "./deadline.js";
import { readOfKind } from "./decide.js";
import { route } from "./route.js";
import { asker, contract, effects, eventName, fullSource, present, timeoutMs } from "./schemas.js";

/** The output of a tool may be longer than its input. */
const MAX_BYTES = 4 * 1024 * 1024;

export const transform = route({
  method: "POST",
  path: "/api/transform",
  scope: "decide",
  access: "ask",
  summary: "Passes a value, such as a tool's output, through the hub's handlers of a transform event",
  maxBytes: MAX_BYTES,
  body: z
    .strictObject({
      event: eventName("transform"),
      value: present.describe("The value to transform."),
      payload: z.unknown().exactOptional().describe("The rest of the event, such as the tool and its input."),
      timeoutMs: timeoutMs.describe("5,000 unless given."),
      ...asker,
    })
    .register(contract, { id: "TransformRequest" }),
  answer: {
    description: "The value to continue with.",
    body: z
      .object({
        value: z.unknown().describe("`[withheld: …]` if a closed handler failed or did not answer in time."),
        isReplaced: z.boolean(),
        ...effects,
        cause: z.string().exactOptional().describe("The code of a failure."),
      })
      .register(contract, { id: "TransformAnswer" }),
  },
  async handle({ parts: { gates }, outgoing, body }) {
    const { value, payload = {}, session, source, timeoutMs: limitMs = DEFAULT_HANDLER_TIMEOUT_MS } = body;
    const request: TransformRequest = {
      event: readOfKind(body.event, "transform"),
      value,
      payload,
      ...(session !== undefined && { session }),
      ...(source !== undefined && { source: fullSource(source) }),
    };
    const result = await signalled(limitMs, outgoing, (signal) => orLate(gates.transform(request), signal)).catch(unlessBadPayload);
    return result === undefined ? json(unanswered(request, gates)) : answerWith(request, result);
  },
});

function answerOf(
  { value: given }: TransformRequest,
  { value, isWithheld, injections, reminders, trail: steps }: TransformResult,
): TransformAnswer {
  const failed = isWithheld ? { cause: "HL_HANDLER_FAILED" } : {};
  return { value, isReplaced: !Object.is(value, given), injections, reminders, trail: steps, ...failed };
}

/** A new value that is not JSON cannot be sent, and the old value must not be used in its place. */
function answerWith(request: TransformRequest, result: TransformResult): Answer {
  const answer = inertDecision(answerOf(request, result));
  try {
    return json(answer);
  } catch {
    const value = withheldValue(request.event, "what the hub's handlers made of it is not JSON");
    return json({ ...answer, value, cause: "HL_BAD_MODIFY" });
  }
}

/** The hub knows whether the handler that did not answer was there to hide something. The client does not. */
function unanswered({ event, value }: TransformRequest, gates: Pick<Gates, "list">): TransformAnswer {
  const name = findEvent(event)?.name ?? event;
  const isClosed = gates.list().some((asked) => asked.event === name && asked.onFailure !== "open");
  const left = isClosed ? withheldValue(name, "the hub's handlers did not answer in time") : value;
  return { value: left, isReplaced: isClosed, injections: [], reminders: [], trail: [], cause: "HL_TIMEOUT" };
}

/** A payload that no handler can read is the client's mistake. Any other failure leaves the value without an answer. */
function unlessBadPayload(error: unknown): undefined {
  if (error instanceof HookError && error.code === "HL_BAD_PAYLOAD") throw refusedWith(400, error);
}

function orLate<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
