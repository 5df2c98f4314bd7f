import { setTimeout as sleep } from "node:timers/promises";
import { type Fields, fieldsOf } from "../protocol/message.js";
import { version } from "../protocol/package-version.js";
import type { PinnedTexts } from "../state/pinned-texts.js";
import type { ServerStore } from "../state/server-record.js";
import { withoutLookAlikes } from "./look-alikes.js";
import type { Upstream } from "./upstream.js";

/** How long a server that was never seen has to answer itself. One that is known is answered for at once. */
const PATIENCE_MS = 1_000;

export interface HelloParts {
  readonly store: ServerStore;
  readonly pins: PinnedTexts;
  readonly upstream: Upstream;
  readonly server: string;
}

/**
 * The answer to the client's `initialize`: that of the last run, at once; otherwise the server's own, if it comes soon; otherwise one
 * that offers everything, because a server that is installed first must not let the client give up.
 */
export async function helloFor(asked: string, { store, pins, upstream, server }: HelloParts): Promise<Fields> {
  const { hello: known } = store.read();
  if (known !== undefined && known.asked === asked) return known.result;
  const own = await Promise.race([upstream.ready().catch(() => undefined), sleep(PATIENCE_MS, undefined, { ref: false })]);
  return own === undefined ? offerOfEverything(asked, server) : safeHello(own, pins);
}

/** A server's answer with instructions that are pinned. */
export function safeHello(said: Fields, pins: PinnedTexts): Fields {
  const hello = withoutLookAlikes(said, ["instructions"]);
  if (typeof hello.instructions !== "string") return hello;
  const { instructions: given, ...rest } = hello;
  const instructions = pins.instructions(given as string);
  return instructions === undefined ? rest : { ...rest, instructions };
}

/** The methods whose lists a server without the capability does not have. */
export const LISTS: { readonly [method: string]: string } = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
};

/** Whether the server itself has what a list belongs to. */
export function hasList(hello: Fields, method: string): boolean {
  const [capability = ""] = method.split("/");
  return fieldsOf(hello.capabilities)[capability] !== undefined;
}

async function offerOfEverything(asked: string, server: string): Promise<Fields> {
  // Only here: loading it takes longer than everything else that a gateway does to start.
  const { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } = await import("@modelcontextprotocol/sdk/types.js");
  return {
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
      completions: {},
    },
    serverInfo: { name: server, version },
  };
}
