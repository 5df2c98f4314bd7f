import { CODE, errorMessage, type Message, notificationMessage, type Request, type RequestId, type Response } from "../protocol/message.js";

/** So many questions of one server may wait for the client. */
const MAX_OPEN = 256;

export interface ServerRequestsOptions {
  readonly toClient: (message: Message) => void;
  readonly toServer: (message: Message) => void;
  readonly onFault: (what: string) => void;
}

/** What the server asks the client, such as sampling and elicitation. Each gets an id that the gateway has made, so that no server can answer or end another's. */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  readonly #open = new Map<string, RequestId>();
  #next = 1;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  /** Passes a question on. Says whether it did. */
  ask(request: Request): boolean {
    const { toClient, toServer, onFault } = this.#options;
    const isTaken = [...this.#open.values()].includes(request.id);
    if (isTaken || this.#open.size >= MAX_OPEN) {
      const what = isTaken ? "a question with an id that it still uses" : `more than ${MAX_OPEN} questions at once`;
      onFault(what);
      toServer(errorMessage(request.id, CODE.invalid, `Hookline: this is ${what}.`));
      return false;
    }
    const id = `hookline-${this.#next++}`;
    this.#open.set(id, request.id);
    toClient({ ...request, id });
    return true;
  }

  /** The client's answer. */
  answer(response: Response): void {
    const { toServer, onFault } = this.#options;
    const id = typeof response.id === "string" ? this.#open.get(response.id) : undefined;
    if (id === undefined) return onFault("an answer to an unknown question");
    this.#open.delete(String(response.id));
    toServer({ ...response, id });
  }

  /** The server no longer waits for an answer. */
  cancel(serverId: unknown, params: { readonly [field: string]: unknown }): void {
    const found = [...this.#open].find(([, id]) => id === serverId);
    if (found === undefined) return;
    this.#open.delete(found[0]);
    this.#options.toClient(notificationMessage("notifications/cancelled", { ...params, requestId: found[0] }));
  }

  /** The server is gone. */
  cancelAll(reason: string): void {
    for (const id of [...this.#open.values()]) this.cancel(id, { reason });
  }
}
