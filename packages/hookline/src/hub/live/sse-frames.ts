import { STREAM_EVENTS, type StreamApproval, type StreamBye, type StreamCurrent, type StreamHello } from "../protocol.js";
import { type StoredEvent, withFields } from "../store/store.js";

export const HEARTBEAT = Buffer.from(":\n\n");

/** How a stream begins: come back after half a second, and after this place if nothing else has come. */
export function helloFrame(place: number, hello: StreamHello): Buffer {
  return Buffer.from(`retry: 500\n\nid: ${place}\nevent: ${STREAM_EVENTS.hello}\ndata: ${JSON.stringify(hello)}\n\n`);
}

export function approvalFrame(approval: StreamApproval): Buffer {
  return Buffer.from(`event: ${STREAM_EVENTS.approval}\ndata: ${JSON.stringify(approval)}\n\n`);
}

/** A client that comes back resumes after this place, however long ago the last event was that matched. */
export function currentFrame(current: StreamCurrent): Buffer {
  return Buffer.from(`id: ${current.place}\nevent: ${STREAM_EVENTS.current}\ndata: ${JSON.stringify(current)}\n\n`);
}

export function byeFrame(bye: StreamBye): Buffer {
  return Buffer.from(`event: ${STREAM_EVENTS.bye}\ndata: ${JSON.stringify(bye)}\n\n`);
}

/** The bytes for a list of events. Streams with the same filter are told with the same list, and share the bytes: 100 of them cost one encoding. */
export function eventFrames(events: readonly StoredEvent[]): readonly Buffer[] {
  let frames = framesOf.get(events);
  if (frames === undefined) {
    frames = encode(events);
    framesOf.set(events, frames);
  }
  return frames;
}

/** The bytes of a large event, which streams with other filters share as well; nothing for a small one. */
export function largeFrame(event: StoredEvent): Buffer | undefined {
  if (event.body.length < LARGE_CHARS) return undefined;
  let frame = frameOf.get(event);
  if (frame === undefined) {
    frame = encodeLarge(event);
    frameOf.set(event, frame);
  }
  return frame;
}

const LARGE_CHARS = 16 * 1024;
const framesOf = new WeakMap<readonly StoredEvent[], readonly Buffer[]>();
const frameOf = new WeakMap<StoredEvent, Buffer>();

function encode(events: readonly StoredEvent[]): readonly Buffer[] {
  const frames: Buffer[] = [];
  let text = "";
  for (const event of events) {
    const large = largeFrame(event);
    if (large === undefined) text += toFrame(event);
    else {
      if (text !== "") frames.push(Buffer.from(text));
      frames.push(large);
      text = "";
    }
  }
  if (text !== "") frames.push(Buffer.from(text));
  return frames;
}

function toFrame(event: StoredEvent): string {
  return `${beginningOf(event)}${oneLine(withFields(event))}${END}`;
}

/** Without a second text of that size, which would only be thrown away. */
function encodeLarge(event: StoredEvent): Buffer {
  const line = oneLine(withFields(event));
  const beginning = beginningOf(event);
  const frame = Buffer.allocUnsafe(beginning.length + Buffer.byteLength(line) + END.length);
  frame.write(beginning);
  frame.write(line, beginning.length);
  frame.write(END, frame.length - END.length);
  return frame;
}

const END = "\n\n";

function beginningOf({ place }: StoredEvent): string {
  return `id: ${place}\nevent: ${STREAM_EVENTS.hook}\ndata: `;
}

// Between the tokens of JSON a sender may write line ends, and one of them would begin a field of the stream.
function oneLine(body: string): string {
  return /[\r\n]/.test(body) ? body.replace(/[\r\n]/g, " ") : body;
}
