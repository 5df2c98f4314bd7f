import { HookError, type HookEvent } from "@hookline/core";
import { resolveEvent } from "@hookline/core/internal";
import { encodeJson, lossText, toJsonSafe } from "@hookline/core/internal/text";

/** Of bytes in an event. */
const MAX_BYTES = 1024 * 1024;

/**
 * The event as a hook outside the process can be told of it: plain JSON, with markers in place of what JSON has no word for. Throws where that leaves
 * something out and the hook may decide: it would pass what it has not seen.
 */
export function wholeEvent(event: HookEvent): HookEvent {
  const { name, payload, value } = event;
  const content = { payload, ...(value !== undefined && { value }) };
  const { text, lost } = encodeJson(content, { maxBytes: MAX_BYTES });
  if (lost.length > 0 && resolveEvent(name).spec.kind !== "observe") {
    const message = `The hook cannot be asked about "${name}", because it would not see all of it: the event has ${lossText(lost)}.`;
    throw new HookError("HL_NOT_WHOLE", message, { event: name, failure: "invalid_verdict" });
  }
  if (toJsonSafe(content, { isForText: true }) === content) return event;
  const { id, at, depth, signal, bus } = event;
  const told = JSON.parse(text) as Pick<HookEvent, "payload"> & { readonly value?: unknown };
  return { name, id, at, session: event.session && told.payload.session, depth, signal, bus, value: told.value, payload: told.payload };
}
