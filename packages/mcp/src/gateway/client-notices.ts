import type { SendOptions } from "../protocol/channel.js";
import { META, withoutMeta } from "../protocol/era.js";
import { type Fields, fieldsOf, type Message, type Notification, notificationMessage, type RequestId } from "../protocol/message.js";

/** A request of the client that runs. */
export interface Running {
  readonly id: RequestId;
  readonly progressToken: unknown;
  /** What it wants to hear of the server's log. Modern only. */
  readonly logLevel: string | undefined;
}

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Which part of a client's wish a notification belongs to. */
const KINDS: { readonly [method: string]: string } = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};
const UPDATED = "notifications/resources/updated";

/** What the server tells, to a client of either era: one of the modern era hears what it has asked for, with the request that it has asked by. */
export class ClientNotices {
  readonly #send: (message: Message, options: SendOptions) => void;
  readonly #running = new Map<RequestId, Running>();
  /** The token that a call had at first, and the request that has its place now. */
  readonly #moved = new Map<unknown, Running>();
  readonly #listens = new Map<RequestId, Fields>();
  #isModern = false;

  constructor(send: (message: Message, options: SendOptions) => void) {
    this.#send = send;
  }

  /** A client that has sent `initialize` hears everything. */
  setModern(isModern: boolean): void {
    this.#isModern = isModern;
  }

  begin(running: Running): void {
    this.#running.set(running.id, running);
  }

  end(id: RequestId): void {
    this.#running.delete(id);
  }

  /** The client has sent a call again: what is said about the first request goes with this one. */
  move(firstToken: unknown, to: Running): void {
    if (firstToken !== undefined) this.#moved.set(firstToken, to);
  }

  unmove(firstToken: unknown): void {
    this.#moved.delete(firstToken);
  }

  /** Begins to tell a client of the modern era what it has asked for. */
  listen(id: RequestId, wanted: Fields): void {
    this.#listens.set(id, wanted);
    this.#tell(id, notificationMessage("notifications/subscriptions/acknowledged", { notifications: wanted }));
  }

  unlisten(id: RequestId): void {
    this.#listens.delete(id);
  }

  tell(message: Notification): void {
    const { method } = message;
    const params = withoutMeta(fieldsOf(message.params), [META.subscription]);
    const plain = message.params === undefined ? message : { ...message, params };
    if (method === "notifications/subscriptions/acknowledged") return;
    if (method === "notifications/progress") return this.#progress(plain, params);
    if (!this.#isModern) return this.#send(plain, {});
    const kind = KINDS[method];
    if (kind !== undefined) return this.#listeners((wanted) => wanted[kind] === true, plain);
    if (method === UPDATED)
      return this.#listeners(({ resourceSubscriptions: uris }) => Array.isArray(uris) && uris.includes(params.uri), plain);
    if (method === "notifications/message") return this.#log(plain, params);
    this.#send(plain, {});
  }

  #progress(message: Message, params: Fields): void {
    const { progressToken } = params;
    const moved = this.#moved.get(progressToken);
    const running = moved ?? [...this.#running.values()].find((one) => one.progressToken === progressToken && progressToken !== undefined);
    if (running === undefined) return this.#isModern ? undefined : this.#send(message, {});
    if (running.progressToken === undefined) return;
    this.#send({ ...message, params: { ...params, progressToken: running.progressToken } }, { related: running.id });
  }

  #log(message: Message, { level }: Fields): void {
    const running = [...this.#running.values()].findLast(
      ({ logLevel }) => logLevel !== undefined && LEVELS.indexOf(String(level)) >= LEVELS.indexOf(logLevel),
    );
    if (running !== undefined) this.#send(message, { related: running.id });
  }

  #listeners(wants: (wanted: Fields) => boolean, message: Message): void {
    for (const [id, wanted] of this.#listens) if (wants(wanted)) this.#tell(id, message);
  }

  #tell(id: RequestId, message: Message): void {
    const params = fieldsOf(message.params);
    const _meta = { ...fieldsOf(params._meta), [META.subscription]: id };
    this.#send({ ...message, params: { ...params, _meta } }, { related: id });
  }
}
