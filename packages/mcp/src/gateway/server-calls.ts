import { type ClientFacts, type Era, TASKS_EXTENSION } from "../protocol/era.js";
import { CODE, errorMessage, type Fields, fieldsOf, type Response } from "../protocol/message.js";
import { neutralResult } from "./era-results.js";
import { guardedMethods } from "./guarded-methods.js";
import { legacyQuestion, type Question, questionFault } from "./question.js";
import { abortable, type Upstream } from "./upstream.js";

/** A server that asks without end is cut off. */
const MAX_ROUNDS = 32;
const MAX_QUESTIONS = 32;

/** A client's request, without what its era adds. */
export interface ClientRequest {
  readonly method: string;
  readonly params: unknown;
  readonly era: Era;
  readonly facts: ClientFacts;
}

export interface ServerCallsOptions {
  readonly upstream: Upstream;
  /** Asks a client of the legacy era. */
  readonly ask: (question: Fields) => Promise<Response>;
  /** Headers that repeat arguments of a call. */
  readonly headers: (method: string, params: Fields) => { readonly [name: string]: string };
  /** Hears of what the server asks. */
  readonly onQuestion: (question: Question) => void;
}

/** One request at the server, whichever era each side speaks. */
export class ServerCalls {
  readonly #options: ServerCallsOptions;

  constructor(options: ServerCallsOptions) {
    this.#options = options;
  }

  async request({ method, params, era, facts }: ClientRequest, signal?: AbortSignal): Promise<Response> {
    const { upstream, headers } = this.#options;
    const server = (await upstream.ready()).era;
    const fault = untranslatable(method, fieldsOf(params), { client: era, server });
    if (fault !== undefined) return refused(CODE.params, fault);
    let sent = params;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const response = await upstream.request(method, sent, { signal, facts, headers: headers(method, fieldsOf(sent)) });
      if (response.error !== undefined) return response;
      const result = neutralResult(server, fieldsOf(response.result));
      if (result.resultType === undefined) return { ...response, result };
      if (result.resultType === "task") return hasTasks(era, facts) ? { ...response, result } : refused(CODE.internal, NO_TASKS);
      if (result.resultType !== "input_required" || !Object.hasOwn(guardedMethods, method))
        return refused(CODE.internal, `the server answered "${method}" with the unknown type ${JSON.stringify(result.resultType)}`);
      const wanted = questionsIn(result.inputRequests, facts.capabilities);
      if (typeof wanted === "string") return refused(CODE.internal, `the server asks what it may not: ${wanted}`);
      for (const [, question] of wanted) this.#options.onQuestion(question);
      if (era === "modern") return { ...response, result };
      sent = { ...fieldsOf(params), ...(await abortable(this.#answers(wanted), signal)), ...stateOf(result) };
    }
    return refused(CODE.internal, `the server asked more than ${MAX_ROUNDS} times`);
  }

  /** The answers of a client of the legacy era, to be sent with the call once more. Rejects if there is none. */
  async #answers(questions: readonly (readonly [string, Question])[]): Promise<Fields> {
    const answers = questions.map(async ([key, question]) => {
      const { result, error } = await this.#options.ask(legacyQuestion(question, key));
      if (error !== undefined) throw new Error(`The client refused "${question.method}": ${String(fieldsOf(error).message)}`);
      return [key, result] as const;
    });
    return { inputResponses: Object.fromEntries(await Promise.all(answers)) };
  }
}

const NO_TASKS = "the server answered with a task, and the client does not have them as 2026-07-28 does. Nothing waits for its result";

function hasTasks(era: Era, { capabilities }: ClientFacts): boolean {
  return era === "modern" && fieldsOf(capabilities.extensions)[TASKS_EXTENSION] !== undefined;
}

/** What one era cannot say to the other, as a sentence. */
function untranslatable(
  method: string,
  params: Fields,
  { client, server }: { readonly client: Era; readonly server: Era },
): string | undefined {
  if (client === server) return undefined;
  const eras =
    client === "legacy"
      ? "the client speaks a revision before 2026-07-28, and the server does not"
      : "the server speaks a revision before 2026-07-28, and the client does not";
  if (params.task !== undefined || method.startsWith("tasks/")) return `tasks differ between revisions: ${eras}. Call without a task`;
  // An open call of a server that asks is known by its state, and this one is not.
  if (server === "legacy" && (params.requestState !== undefined || params.inputResponses !== undefined))
    return "the call that these answers belong to has ended. Call again";
  return undefined;
}

function questionsIn(value: unknown, capabilities: Fields): readonly (readonly [string, Question])[] | string {
  const questions = Object.entries(fieldsOf(value)).map(([key, one]) => {
    const { method, params } = fieldsOf(one);
    return [key, { method: String(method), params }] as const;
  });
  if (questions.length > MAX_QUESTIONS) return `${questions.length} questions at once`;
  const faults = questions.map(([, question]) => questionFault(question, capabilities));
  return faults.find((fault) => fault !== undefined) ?? questions;
}

function stateOf({ requestState }: Fields): Fields {
  return requestState === undefined ? {} : { requestState };
}

function refused(code: number, fault: string): Response {
  return errorMessage(0, code, `Hookline: ${fault}.`) as Response;
}
