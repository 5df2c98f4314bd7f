import { inertJson } from "@hookline/core/internal/text";
import type { Envelope } from "@hookline/core/sinks";
import { detailOf } from "./event-detail.js";

const BARE = /^[\w.:/@+-]+$/;

/** An event as `key=value` pairs. */
export function logfmtLine(envelope: Envelope): string {
  const { at, id, event, source, session, decision } = envelope;
  const pairs: readonly (readonly [string, string | number | undefined])[] = [
    ["time", at],
    ["id", id],
    ["event", event],
    ["app", source.app],
    ["pid", source.pid],
    ["session", session?.id],
    ["parent", session?.parentId],
    ["verdict", decision?.verdict],
    ["by", decision?.by],
    ["reason", decision?.reason],
    ["cause", decision?.cause],
    ["rewritten", decision?.modified === true ? "true" : undefined],
    ["detail", detailOf(envelope) || undefined],
  ];
  return pairs.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${quoted(String(value))}`])).join(" ");
}

function quoted(value: string): string {
  return BARE.test(value) ? value : inertJson(JSON.stringify(value));
}
