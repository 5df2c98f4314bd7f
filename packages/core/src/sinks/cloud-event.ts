import { type Envelope, encodeEnvelope } from "../catalog/envelope.js";

/** An envelope as a CloudEvents 1.0 event in JSON. Its data is the whole envelope: nothing is lost on the way. */
export function encodeCloudEvent(envelope: Envelope): string {
  const { id, at, event, seq, session } = envelope;
  const attributes = JSON.stringify({
    specversion: "1.0",
    id,
    source: sourceOf(envelope),
    type: `hookline.${event}`,
    time: at,
    ...(isAttribute(session?.id) && { subject: session.id }),
    // The sequence extension, which is compared as text; 0 means that the event has no number yet.
    ...(seq > 0 && { sequence: String(seq).padStart(SEQUENCE_DIGITS, "0") }),
    datacontenttype: "application/json",
  });
  return `${attributes.slice(0, -1)},"data":${encodeEnvelope(envelope)}}`;
}

/** Of the largest whole number that is exact. */
const SEQUENCE_DIGITS = 16;

function sourceOf({ source: { app, host, instance } }: Envelope): string {
  return `hookline://${[host, app, instance].map(encodePart).join("/")}`;
}

function encodePart(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\u{fffd}"));
}

// A CloudEvents string is not empty and has neither control characters nor half characters.
function isAttribute(text: unknown): text is string {
  return typeof text === "string" && text !== "" && !/\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}/u.test(text);
}
