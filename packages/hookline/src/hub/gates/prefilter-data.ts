import { createHash } from "node:crypto";
import type { Bus, HandlerInfo } from "@hookline/core";
import type { Concern } from "@hookline/core/internal";
import { everyGate, type PrefilterData } from "@hookline/core/internal/wire";
import { shellCalls } from "../../commands/commands-of.js";
import { covers } from "./covers.js";

/** More would cost a process more than it saves. Beyond it, the hub is asked about every call. */
const MAX_CHARS = 256 * 1024;

/**
 * The prefilter of the handlers that a bus has now. Every process renews its lease three times a second, so it is computed again only when the handlers
 * are others: each is described once, by an object that does not change.
 */
export function prefilterReader(bus: Pick<Bus, "list">): () => PrefilterData {
  let known: { readonly handlers: readonly HandlerInfo[]; readonly prefilter: PrefilterData } | undefined;
  return () => {
    const handlers = bus.list();
    const isSame = known?.handlers.length === handlers.length && handlers.every((handler, index) => handler === known?.handlers[index]);
    if (known === undefined || !isSame) known = { handlers, prefilter: prefilterOf(handlers) };
    return known.prefilter;
  };
}

/**
 * What a call must have to concern one of the handlers, as data for attached processes. It says less than the handlers' own filters and never more: what
 * cannot be said in these terms concerns every call, and its gate is left out.
 */
export function prefilterOf(handlers: readonly HandlerInfo[]): PrefilterData {
  const guards = handlers.filter(({ stage }) => stage !== "observe");
  const gates = Object.fromEntries(
    everyGate.flatMap((event) => {
      const concerns = concernsOf(guards.filter((guard) => covers(guard.event, event)));
      return event.includes("*") || concerns === undefined ? [] : [[event, concerns]];
    }),
  );
  const isSmall = JSON.stringify(gates).length <= MAX_CHARS;
  const content = { gates: isSmall ? gates : {}, shell: shellCalls };
  const version = createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
  return { version, ...content };
}

/** Undefined if every call concerns one of them. */
function concernsOf(guards: readonly HandlerInfo[]): readonly Concern[] | undefined {
  const concerns = new Map<string, Concern>();
  for (const { tool, concern } of guards) {
    // Only calls that run commands concern it, and those are always asked.
    if (concern === null) continue;
    const names = tool === undefined ? concern?.tool : [tool].flat();
    if (names === undefined && concern?.texts === undefined) return undefined;
    const { texts } = concern ?? {};
    const own = { ...(names !== undefined && { tool: names }), ...(texts !== undefined && { texts }) };
    concerns.set(JSON.stringify(own), own);
  }
  return [...concerns.values()];
}
