import type { HookEvent } from "@hookline/core";
import { encodeEnvelope } from "@hookline/core/sinks";
import type { HookSpec } from "../handler-source.js";

export interface Asking {
  readonly hook: HookSpec | undefined;
  /** The event's name, as the extension knows it. */
  readonly called: string;
  /** Milliseconds until the answer is late. */
  readonly left: number;
}

/** An event as an extension is asked about it, in JSON. */
export function encodeEvent(event: HookEvent, { hook, called, left }: Asking): string {
  const { id, at, session, payload, value } = event;
  const head = { event: called, id, at, hook: hook?.name, session, deadlineMs: Math.round(left) };
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
