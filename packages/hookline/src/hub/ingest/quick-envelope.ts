import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import { isEvent, isTime } from "./read-envelope.js";

// No escapes, no control characters: what stands there is the text itself. Ids are as the long way takes them, names not longer than it does.
const HEAD = /\{"v":2,"id":"([!#-[\]-~]{1,128})","seq":(0|[1-9]\d{0,14}),"at":"([^"\\]{24})","event":"([ !#-[\]-\uffff]{1,1024})",/y;
const SESSION = /"session":\{"id":"([ !#-[\]-\uffff]{0,1024})"\},/y;
const PAYLOAD = '"payload":';
const HOPS = ',"hops":';

interface Sender {
  /** `"source":{…},` */
  readonly sourceText: string;
  /** `,"hops":[…]}` */
  readonly hopsText: string;
  readonly source: EnvelopeSource;
  readonly hops: readonly string[];
}

export interface QuickEnvelopes {
  /** The envelope on a line like the one before it; `undefined` for a line that must go the long way, which alone says what is wrong with it. */
  read(line: string): Envelope | undefined;
  /** The long way has accepted this line. Lines of the same sender are quick from now on. */
  learn(line: string, envelope: Envelope): void;
}

/**
 * Reads the lines of a sender that was accepted before. They differ in little, so only the payload is parsed, and what depends on the sender alone
 * is not checked again: half the time, and half of what is left to the garbage collector. Not for decisions.
 */
export function createQuickEnvelopes(): QuickEnvelopes {
  let sender: Sender | undefined;

  function read(line: string): Envelope | undefined {
    if (sender === undefined) return undefined;
    const { sourceText, hopsText, source, hops } = sender;
    HEAD.lastIndex = 0;
    const head = HEAD.exec(line);
    if (head === null || !line.startsWith(sourceText, HEAD.lastIndex) || !line.endsWith(hopsText)) return undefined;
    const [, id = "", seq, at, event] = head;
    if (!isTime(at) || !isEvent(event)) return undefined;
    SESSION.lastIndex = HEAD.lastIndex + sourceText.length;
    const start = SESSION.lastIndex;
    const session = SESSION.exec(line)?.[1];
    const payloadAt = session === undefined ? start : SESSION.lastIndex;
    if (!line.startsWith(PAYLOAD, payloadAt)) return undefined;
    const text = line.slice(payloadAt + PAYLOAD.length, line.length - hopsText.length);
    if (text.includes(DECISION)) return undefined;
    const payload = parse(text);
    if (payload === undefined) return undefined;
    if (session === undefined) return { v: 2, id, seq: Number(seq), at, event, source, payload, hops };
    return { v: 2, id, seq: Number(seq), at, event, source, session: { id: session }, payload, hops };
  }

  function learn(line: string, { source, hops }: Envelope): void {
    HEAD.lastIndex = 0;
    if (!HEAD.test(line)) return;
    const at = HEAD.lastIndex;
    const sourceText = line.slice(at, line.indexOf("}", at) + 2);
    const hopsText = line.slice(line.lastIndexOf(HOPS));
    const isAsParsed = sourceText === `"source":${JSON.stringify(source)},` && hopsText === `${HOPS}${JSON.stringify(hops)}}`;
    if (isAsParsed) sender = { sourceText, hopsText, source, hops };
  }

  return { read, learn };
}

/** Stands between the payload and the hops. A payload that says the same goes the long way, too. */
const DECISION = ',"decision":{';

/** `undefined` for text that is not one value. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
