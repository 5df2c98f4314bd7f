import { type Era, MODERN_VERSION } from "../protocol/era.js";
import type { ServerStore } from "../state/server-record.js";

export interface ErasOptions {
  readonly server: string;
  readonly store: ServerStore;
  /** Tells of a side that does not speak the modern era although the other one does. */
  readonly onDowngrade: (what: string, eras: { readonly client: Era; readonly server: Era }) => void;
}

/** Which era each side speaks. A difference between them is translated, and never kept quiet. */
export class Eras {
  readonly #options: ErasOptions;
  #client: Era | undefined;
  #server: Era | undefined;

  constructor(options: ErasOptions) {
    this.#options = options;
  }

  get client(): Era | undefined {
    return this.#client;
  }

  get server(): Era | undefined {
    return this.#server;
  }

  heardClient(era: Era): void {
    if (this.#client === era) return;
    this.#client = era;
    this.#compare();
  }

  heardServer(era: Era): void {
    const isKnown = this.#server === era;
    this.#server = era;
    if (!isKnown) this.#compare();
  }

  #compare(): void {
    const { server: name, store, onDowngrade } = this.#options;
    const [client, server] = [this.#client, this.#server];
    if (client === undefined || server === undefined) return;
    const before = store.read().eras;
    if (before?.client !== client || before.server !== server) store.update(() => ({ eras: { client, server } }));
    const told = sentence(name, { client, server }, before?.server);
    if (told !== undefined) onDowngrade(told, { client, server });
  }
}

function sentence(
  name: string,
  { client, server }: { readonly client: Era; readonly server: Era },
  before: Era | undefined,
): string | undefined {
  if (server === "legacy" && before === "modern")
    return `The MCP server "${name}" spoke ${MODERN_VERSION} before, and now speaks only older revisions.`;
  if (client === server) return undefined;
  return client === "modern"
    ? `The MCP server "${name}" speaks only revisions before ${MODERN_VERSION}. Hookline translates for the client, which speaks ${MODERN_VERSION}.`
    : `The client of the MCP server "${name}" speaks only revisions before ${MODERN_VERSION}. Hookline translates for the server, which speaks ${MODERN_VERSION}.`;
}
