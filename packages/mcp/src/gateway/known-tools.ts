import { type Fields, fieldsOf } from "../protocol/message.js";
import { headerNameFault, paramHeaders } from "../protocol/request-headers.js";
import { PINNED_FIELDS } from "../state/pin-items.js";
import type { PinnedTexts } from "../state/pinned-texts.js";
import { lookAlikeInArguments, withoutLookAlikes } from "./look-alikes.js";
import type { Upstream } from "./upstream.js";

/** A server that never ends its list is cut off. */
const MAX_PAGES = 100;

/** What the server says about its tools, compared with the pins before the first call. */
export class KnownTools {
  readonly #upstream: Upstream;
  readonly #pins: PinnedTexts;
  /** What each tool's arguments are, as JSON Schema. */
  readonly #schemas = new Map<string, Fields>();
  #listed: Promise<void> | undefined;

  readonly #fault: (what: string) => void;

  constructor(upstream: Upstream, pins: PinnedTexts, fault: (what: string) => void) {
    this.#upstream = upstream;
    this.#pins = pins;
    this.#fault = fault;
  }

  /** Resolves when all tools were compared. Rejects if the server does not list them: a client may call a tool that it knows from earlier. */
  known(): Promise<void> {
    this.#listed ??= this.#list().catch((error: unknown) => {
      this.#listed = undefined;
      throw error;
    });
    return this.#listed;
  }

  /** The list may have changed. */
  forget(): void {
    this.#listed = undefined;
  }

  /** An argument that the server may take for another one: rules read only the one that the schema names. */
  faultOf({ name, arguments: input }: Fields): string | undefined {
    return lookAlikeInArguments(fieldsOf(input), this.#schemas.get(name as string) ?? {});
  }

  /** The headers in which a server at a URL wants to have arguments repeated. */
  headers({ name, arguments: input }: Fields): { readonly [name: string]: string } {
    return paramHeaders(this.#schemas.get(name as string) ?? {}, fieldsOf(input));
  }

  /** A page of the list as the client may see it. */
  checked(result: Fields): Fields {
    const listed = Array.isArray(result.tools) ? result.tools.map((tool) => withoutLookAlikes(fieldsOf(tool), PINNED_FIELDS)) : [];
    const tools = listed.filter((tool) => this.#isCallable(tool));
    return { ...withoutLookAlikes(result, ["tools"]), tools: this.#pins.check(tools) };
  }

  /** Two arguments in one header, or a header that cannot be: what reads headers would see another call. */
  #isCallable({ name, inputSchema }: Fields): boolean {
    const fault = headerNameFault(fieldsOf(inputSchema));
    if (fault !== undefined) this.#fault(`a tool ${JSON.stringify(name)} that is left out: ${fault}`);
    return fault === undefined;
  }

  async #list(): Promise<void> {
    let cursor: unknown;
    const tools: unknown[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const { result, error } = await this.#upstream.request("tools/list", cursor === undefined ? {} : { cursor });
      // A server without a list has nothing that could change.
      if (error !== undefined) return;
      const { tools: some, nextCursor } = fieldsOf(result);
      if (Array.isArray(some)) tools.push(...some);
      if (typeof nextCursor !== "string") break;
      cursor = nextCursor;
    }
    this.checked({ tools });
    this.#schemas.clear();
    for (const { name, inputSchema } of tools.map(fieldsOf)) if (typeof name === "string") this.#schemas.set(name, fieldsOf(inputSchema));
  }
}
