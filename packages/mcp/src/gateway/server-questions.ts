import { MODERN_VERSION } from "../protocol/era.js";
import {
  CODE,
  errorMessage,
  fieldsOf,
  type Message,
  type Request,
  type RequestId,
  type Response,
  resultMessage,
} from "../protocol/message.js";
import type { Eras } from "./eras.js";
import type { OpenRounds } from "./open-rounds.js";
import type { Question } from "./question.js";
import { ServerRequests } from "./server-requests.js";

export interface ServerQuestionsOptions {
  readonly eras: Eras;
  readonly rounds: OpenRounds;
  readonly toClient: (message: Message) => void;
  readonly toServer: (message: Message) => void;
  /** Something that the server, or its client, should not have sent. */
  readonly onFault: (what: string) => void;
  /** Hears of a question that the client gets. */
  readonly onQuestion: (question: Question) => void;
}

/** What a server asks its client, whichever era the client speaks. */
export class ServerQuestions {
  readonly #options: ServerQuestionsOptions;
  readonly #requests: ServerRequests;

  constructor(options: ServerQuestionsOptions) {
    this.#options = options;
    this.#requests = new ServerRequests({ toClient: options.toClient, onFault: options.onFault });
  }

  /** A request of the server: of the legacy era, because one of the modern era asks in its answers only. */
  heard({ id, method, params }: Request): void {
    const { eras, toServer, onFault, onQuestion } = this.#options;
    if (eras.server === "modern") {
      onFault(`a request "${method.slice(0, 100)}", which revision ${MODERN_VERSION} does not have`);
      return toServer(errorMessage(id, CODE.noMethod, `Hookline: in revision ${MODERN_VERSION}, a server sends no requests.`));
    }
    if (method === "ping") return toServer(resultMessage(id, {}));
    const question: Question = { method, params };
    const fault = eras.client === "modern" ? this.#askModern(question, id) : this.#askLegacy(question, id);
    if (fault === undefined) return onQuestion(question);
    if (eras.client !== "modern") onFault(fault);
    toServer(errorMessage(id, CODE.invalid, `Hookline: this is refused: ${fault}.`));
  }

  /** Asks a client of the legacy era, for an answer of the gateway's own. */
  ask(question: Message): Promise<Response> {
    return new Promise((answer) => this.#requests.ask(question, { serverId: undefined, answer }));
  }

  answered(response: Response): void {
    this.#requests.answer(response);
  }

  cancelled(params: unknown): void {
    this.#requests.cancel(fieldsOf(params).requestId, fieldsOf(params));
  }

  cancelAll(reason: string): void {
    this.#requests.cancelAll(reason);
  }

  #askModern(question: Question, id: RequestId): string | undefined {
    const { rounds, toServer } = this.#options;
    return rounds.ask(question, (said) =>
      toServer("fault" in said ? errorMessage(id, CODE.internal, `Hookline: ${said.fault}.`) : resultMessage(id, said.result)),
    );
  }

  #askLegacy({ method, params }: Question, id: RequestId): string | undefined {
    const fault = this.#requests.fault(id);
    const answer = (response: Response): void => this.#options.toServer({ ...response, id });
    if (fault === undefined) this.#requests.ask({ method, ...(params !== undefined && { params }) }, { serverId: id, answer });
    return fault;
  }
}
