import { CODE, errorMessage, type Fields, type Message, notificationMessage, type RequestId, type Response } from "../protocol/message.js";

/** So many questions of one server may wait for the client. */
const MAX_OPEN = 256;

export interface ServerRequestsOptions {
  readonly toClient: (message: Message) => void;
  readonly onFault: (what: string) => void;
}

/** A question, and where its answer goes. */
interface Question {
  /** The id that the server has given it; its own answers to calls have none. */
  readonly serverId: RequestId | undefined;
  readonly answer: (response: Response) => void;
}

/** What the server asks a client of the legacy era, such as sampling and elicitation. Each gets an id that the gateway has made, so that no server can answer or end another's. */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  readonly #open = new Map<string, Question>();
  #next = 1;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  /** What is wrong with one more question; `undefined` if nothing is. */
  fault(serverId: RequestId): string | undefined {
    if ([...this.#open.values()].some((question) => question.serverId === serverId)) return "a question with an id that it still uses";
    return this.#open.size >= MAX_OPEN ? `more than ${MAX_OPEN} questions at once` : undefined;
  }

  /** Passes a question on, and its answer back. */
  ask(request: Fields, { serverId, answer }: Question): void {
    const id = `hookline-${this.#next++}`;
    this.#open.set(id, { serverId, answer });
    this.#options.toClient({ jsonrpc: "2.0", ...request, id });
  }

  /** The client's answer. */
  answer(response: Response): void {
    const question = typeof response.id === "string" ? this.#open.get(response.id) : undefined;
    if (question === undefined) return this.#options.onFault("an answer to an unknown question");
    this.#open.delete(String(response.id));
    question.answer(response);
  }

  /** The server no longer waits for an answer. */
  cancel(serverId: unknown, params: Fields): void {
    const found = [...this.#open].find(([, question]) => question.serverId === serverId && serverId !== undefined);
    if (found !== undefined) this.#cancel(found[0], params);
  }

  /** The server is gone. */
  cancelAll(reason: string): void {
    for (const id of this.#open.keys()) this.#cancel(id, { reason });
  }

  #cancel(id: string, params: Fields): void {
    const question = this.#open.get(id);
    this.#open.delete(id);
    this.#options.toClient(notificationMessage("notifications/cancelled", { ...params, requestId: id }));
    // A call that waits for the answer ends.
    if (question?.serverId === undefined) question?.answer(errorMessage(id, CODE.internal, "The server is gone.") as Response);
  }
}
