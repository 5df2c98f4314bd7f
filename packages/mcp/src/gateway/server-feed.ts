import { fieldsOf, type RequestId, type Response, resultMessage } from "../protocol/message.js";
import type { ServerHello } from "./server-hello.js";
import type { Upstream } from "./upstream.js";

/** A stream that the server has ended is opened again after this time. */
const AGAIN_MS = 1_000;

/** What the server tells without being asked: changed lists, and resources that a client watches. */
export class ServerFeed {
  readonly #upstream: Upstream;
  /** How many watch each resource. */
  readonly #watched = new Map<string, number>();
  #hello: ServerHello | undefined;
  #listening: AbortController | undefined;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** The server is there, for the first time or again. It has forgotten what was watched. */
  ready(hello: ServerHello): void {
    this.#hello = hello;
    if (hello.era === "modern") return this.#listen();
    for (const uri of this.#watched.keys()) void this.#upstream.request("resources/subscribe", { uri }).catch(() => {});
  }

  lost(): void {
    this.#listening?.abort();
    this.#listening = undefined;
  }

  /** Watches a resource. Gives the server's answer. */
  async watch(uri: string): Promise<Response> {
    const watchers = this.#watched.get(uri) ?? 0;
    const hello = await this.#upstream.ready();
    if (watchers === 0 && hello.era === "legacy") {
      const response = await this.#upstream.request("resources/subscribe", { uri });
      if (response.error !== undefined) return response;
    }
    this.#watched.set(uri, (this.#watched.get(uri) ?? 0) + 1);
    if (watchers === 0 && hello.era === "modern") this.#listen();
    return DONE;
  }

  async unwatch(uri: string): Promise<Response> {
    const watchers = this.#watched.get(uri) ?? 0;
    if (watchers > 1) this.#watched.set(uri, watchers - 1);
    else this.#watched.delete(uri);
    const hello = await this.#upstream.ready();
    if (watchers > 1) return DONE;
    if (hello.era === "legacy") return this.#upstream.request("resources/unsubscribe", { uri });
    if (watchers === 1) this.#listen();
    return DONE;
  }

  /** One stream for everything, in the place of the one before. */
  #listen(): void {
    const hello = this.#hello;
    const before = this.#listening;
    this.#listening = undefined;
    before?.abort();
    const notifications = hello === undefined ? {} : filterFor(hello, [...this.#watched.keys()]);
    if (hello === undefined || Object.keys(notifications).length === 0) return;
    const listening = new AbortController();
    this.#listening = listening;
    const again = (): void => {
      if (this.#listening === listening && this.#hello === hello) this.#listen();
    };
    const ended = this.#upstream.request("subscriptions/listen", { notifications }, { signal: listening.signal });
    // Refused is refused; ended, also by a lost connection of its own, is opened again.
    ended.then(
      ({ error }) => error === undefined && void setTimeout(again, AGAIN_MS).unref(),
      () => void setTimeout(again, AGAIN_MS).unref(),
    );
  }
}

const DONE = resultMessage(0 satisfies RequestId, {}) as Response;

function filterFor({ capabilities }: ServerHello, uris: readonly string[]): { readonly [kind: string]: unknown } {
  const changes = ["tools", "prompts", "resources"].filter((kind) => fieldsOf(capabilities[kind]).listChanged === true);
  return {
    ...Object.fromEntries(changes.map((kind) => [`${kind}ListChanged`, true])),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}
