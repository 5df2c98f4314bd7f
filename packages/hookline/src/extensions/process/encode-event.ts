import type { HookEvent } from "@hookline/core";
import { encodeEnvelope } from "@hookline/core/sinks";
import type { HookSpec } from "../handler-source.js";

/** An event as an extension is asked about it, in JSON. */
export function encodeEvent(event: HookEvent, hook: HookSpec | undefined, deadlineMs: number): string {
  const { name, id, at, session, payload, value } = event;
  const head = { event: name, id, at, hook: hook?.name, session, deadlineMs: Math.round(deadlineMs) };
  try {
    return JSON.stringify({ ...head, payload, value });
  } catch {
    return JSON.stringify({ ...head, session: undefined, ...withMarkers({ payload, value }) });
  }
}

/** Cycles and the like become the markers they are in every envelope. */
function withMarkers(content: object): object {
  const source = { app: "", host: "", pid: 0, instance: "" };
  const text = encodeEnvelope({ v: 1, id: "", seq: 0, at: "", event: "", source, payload: content, hops: [] });
  return (JSON.parse(text) as { readonly payload: object }).payload;
}
