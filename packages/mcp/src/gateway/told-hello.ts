import { setTimeout as sleep } from "node:timers/promises";
import { type Era, META } from "../protocol/era.js";
import { type Fields, fieldsOf } from "../protocol/message.js";
import { version } from "../protocol/package-version.js";
import type { PinnedTexts } from "../state/pinned-texts.js";
import type { ServerStore } from "../state/server-record.js";
import { helloFor, offerOfEverything, type ServerHello } from "./server-hello.js";
import type { Upstream } from "./upstream.js";

/** How long a server that was never seen has to say itself what it is. One that is known is answered for at once. */
const PATIENCE_MS = 1_000;

export interface ToldHelloOptions {
  readonly server: string;
  readonly upstream: Upstream;
  readonly store: ServerStore;
  readonly pins: PinnedTexts;
}

/** What the client was told about the server, in each era that it has spoken. */
export class ToldHello {
  readonly #options: ToldHelloOptions;
  readonly #told: { [E in Era]?: Fields } = {};
  /** What the client asked for: a revision in `initialize`, or to discover the server. */
  #asked = "";

  constructor(options: ToldHelloOptions) {
    this.#options = options;
  }

  /** Whether the client has been answered in this era, or is about to be. */
  isTold(era: Era): boolean {
    return this.#told[era] !== undefined;
  }

  asks(asked: string): void {
    this.#asked = asked;
  }

  /** What the client was told in the last run, at once; otherwise what the server says, if it comes soon; otherwise an offer. */
  async tell(era: Era, asked: string): Promise<Fields> {
    const { store, pins, server, upstream } = this.#options;
    this.#asked = asked;
    this.#told[era] ??= {};
    const { hello: known } = store.read();
    if (known !== undefined && known.asked === asked) return this.#keep(era, known.result);
    const own = await Promise.race([upstream.ready().catch(() => undefined), sleep(PATIENCE_MS, undefined, { ref: false })]);
    return this.#keep(era, own === undefined ? offerOfEverything(era, asked, { name: server, version }) : helloFor(era, asked, own, pins));
  }

  /** The server is there: what it says is compared with the pins, and remembered for the next run. */
  heard(era: Era, hello: ServerHello): void {
    const { store, pins } = this.#options;
    const asked = this.#asked;
    const result = helloFor(era, asked, hello, pins);
    const { hello: known } = store.read();
    if (JSON.stringify(known) !== JSON.stringify({ asked, result })) store.update(() => ({ hello: { asked, result } }));
  }

  get serverInfo(): Fields {
    const said = fieldsOf(this.#told.modern?._meta)[META.serverInfo] ?? this.#told.legacy?.serverInfo;
    return fieldsOf(said ?? { name: this.#options.server, version });
  }

  /** The kinds of lists whose changes the client waits for. */
  get changing(): readonly string[] {
    const capabilities = fieldsOf((this.#told.modern ?? this.#told.legacy)?.capabilities);
    return Object.keys(capabilities).filter((kind) => fieldsOf(capabilities[kind]).listChanged === true);
  }

  #keep(era: Era, told: Fields): Fields {
    this.#told[era] = told;
    return told;
  }
}
