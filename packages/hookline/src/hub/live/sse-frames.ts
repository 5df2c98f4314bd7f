import type { Arrival } from "../parts.js";
import { STREAM_EVENTS, type StreamApproval, type StreamBye, type StreamHello } from "../protocol.js";
import type { StoredEvent } from "../store/store.js";

export const HEARTBEAT = Buffer.from(":\n\n");

/** How a stream begins: come back after half a second, and after this place if nothing else has come. */
export function helloFrame(place: number, hello: StreamHello): Buffer {
  return Buffer.from(`retry: 500\n\nid: ${place}\nevent: ${STREAM_EVENTS.hello}\ndata: ${JSON.stringify(hello)}\n\n`);
}

export function approvalFrame(approval: StreamApproval): Buffer {
  return Buffer.from(`event: ${STREAM_EVENTS.approval}\ndata: ${JSON.stringify(approval)}\n\n`);
}

export function byeFrame(bye: StreamBye): Buffer {
  return Buffer.from(`event: ${STREAM_EVENTS.bye}\ndata: ${JSON.stringify(bye)}\n\n`);
}

/** The bytes for a list of events. Streams with the same filter are told with the same list, and share the bytes: 100 of them cost one encoding. */
export function arrivalFrames(arrivals: readonly Arrival[]): Buffer {
  let bytes = encoded.get(arrivals);
  if (bytes === undefined) {
    bytes = eventFrames(arrivals);
    encoded.set(arrivals, bytes);
  }
  return bytes;
}

const encoded = new WeakMap<readonly Arrival[], Buffer>();

export function eventFrames(events: readonly StoredEvent[]): Buffer {
  let text = "";
  for (const { place, body } of events) text += `id: ${place}\nevent: ${STREAM_EVENTS.hook}\ndata: ${oneLine(body)}\n\n`;
  return Buffer.from(text);
}

// Between the tokens of JSON a sender may write line ends, and one of them would begin a field of the stream.
function oneLine(body: string): string {
  return /[\r\n]/.test(body) ? body.replace(/[\r\n]/g, " ") : body;
}
