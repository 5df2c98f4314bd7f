import { type Fields, fieldsOf, type Response } from "../protocol/message.js";
import { neutralResult } from "./era-results.js";
import type { AboutCall, GuardedCalls } from "./guarded-calls.js";

/** So many tasks are remembered; the oldest is forgotten first. Results of a forgotten one are seen under the name of no tool. */
const MAX_TASKS = 10_000;

/** Results that come later than the answer to their call: hooks see them as those of the call. */
export class TaskResults {
  readonly #calls: GuardedCalls;
  readonly #unknown: AboutCall;
  readonly #tasks = new Map<string, AboutCall>();

  /** `unknown`: the call that results of a task are ascribed to if nothing is known about it. */
  constructor(calls: GuardedCalls, unknown: AboutCall) {
    this.#calls = calls;
    this.#unknown = unknown;
  }

  /** Notes the task that a call was answered with. */
  began(call: AboutCall, result: Fields): void {
    const id = result.resultType === "task" ? result.taskId : fieldsOf(result.task).taskId;
    if (typeof id !== "string") return;
    this.#tasks.set(id, call);
    const [oldest] = this.#tasks.size > MAX_TASKS ? this.#tasks.keys() : [];
    if (oldest !== undefined) this.#tasks.delete(oldest);
  }

  /** An answer about tasks, with what hooks leave of the result in it. */
  async seen(method: string, params: Fields, response: Response): Promise<Response> {
    const call = (typeof params.taskId === "string" ? this.#tasks.get(params.taskId) : undefined) ?? this.#unknown;
    if (method === "tasks/result")
      return response.error === undefined
        ? { ...response, result: await this.#calls.seen(call, fieldsOf(response.result)) }
        : { ...response, error: await this.#calls.seenError(call, fieldsOf(response.error)) };
    if (method !== "tasks/get" || response.error !== undefined) return response;
    return { ...response, result: { ...fieldsOf(response.result), ...(await this.#seenIn(call, fieldsOf(response.result))) } };
  }

  /** Everything in the state of a task that a model may read. */
  async #seenIn(call: AboutCall, { result, error, inputRequests, statusMessage }: Fields): Promise<Fields> {
    const questions = { resultType: "input_required", inputRequests };
    return {
      ...(result !== undefined && { result: await this.#calls.seen(call, neutralResult("modern", fieldsOf(result))) }),
      ...(error !== undefined && { error: await this.#calls.seenError(call, fieldsOf(error)) }),
      ...(inputRequests !== undefined && { inputRequests: fieldsOf((await this.#calls.seen(call, questions)).inputRequests) }),
      ...(typeof statusMessage === "string" && { statusMessage: await this.#calls.seenText(call, statusMessage) }),
    };
  }
}
