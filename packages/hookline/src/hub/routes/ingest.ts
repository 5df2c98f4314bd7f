import { createEnvelopePreparer } from "@hookline/core/internal/sinks";
import { ENVELOPE_START } from "@hookline/core/internal/wire";
import { z } from "zod";
import { json } from "../http/answer.js";
import { badRequest, Refused } from "../http/refused.js";
import { JSON_MEDIA, NDJSON_MEDIA, readBody, readObject, readText } from "../http/request-body.js";
import { isRefusal } from "../ingest/accept.js";
import type { Accepted, Ingest } from "../parts.js";
import type { HermesFrame, IngestAnswer } from "../protocol.js";
import { fromHermes } from "./hermes-event.js";
import { route } from "./route.js";
import { contract, count, envelope } from "./schemas.js";

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_PENDING = 50_000;
/** Of all bodies that were read and wait for the disk. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;
let waitingChars = 0;

const hermesFrame = z
  .object({ event_type: z.string(), context: z.unknown().exactOptional(), src: z.unknown().exactOptional() })
  .describe("An event as Hermes sends it.")
  .register(contract, { id: "HermesFrame" });

export const ingest = route({
  method: "POST",
  path: "/api/hooks/ingest",
  scope: "ingest",
  access: "ask",
  summary: "Stores events, all of them or none, and answers when they are on disk",
  // Read by hand: a check of each envelope against a schema takes 850 ns, the hand-written check 13 ns.
  rawBody: {
    [JSON_MEDIA]: z.union([hermesFrame, envelope]),
    [NDJSON_MEDIA]: z.string().describe("Envelopes or Hermes frames, one per line."),
  },
  answer: {
    description: "The events are on disk.",
    body: z
      .object({ stored: count, duplicates: count.describe("How many events were already stored, judged by their ids.") })
      .register(contract, { id: "IngestAnswer" }),
  },
  async handle({ parts, incoming, mediaType }) {
    if (parts.ingest.pending > MAX_PENDING) throw tooMany(`More than ${MAX_PENDING} events wait for the disk.`);
    const text = readText(await readBody(incoming, MAX_BYTES));
    if (waitingChars + text.length > MAX_WAITING_CHARS) throw tooMany("Too many large events wait for the disk.");
    waitingChars += text.length;
    try {
      const events = mediaType === NDJSON_MEDIA ? acceptLines(parts.ingest, text) : [accept(parts.ingest, text, "The body")];
      return json((await parts.ingest.append(events)) satisfies IngestAnswer);
    } finally {
      waitingChars -= text.length;
    }
  },
});

function tooMany(message: string): Refused {
  return new Refused(429, "HL_TOO_MANY", message, { headers: { "Retry-After": "1" } });
}

function acceptLines(into: Ingest, text: string): Accepted[] {
  const events: Accepted[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() !== "") events.push(accept(into, line, `Line ${index + 1}`));
  }
  return events;
}

function accept(into: Ingest, text: string, place: string): Accepted {
  const result = text.startsWith(ENVELOPE_START) ? into.accept(text) : acceptOther(into, text, place);
  if (!isRefusal(result)) return result;
  throw new Refused(400, codeOf(result.code), `${place}: ${result.reason} Nothing was stored.`);
}

function acceptOther(into: Ingest, text: string, place: string): ReturnType<Ingest["accept"]> {
  const value = readObject(text, place);
  if (Object.hasOwn(value, "event_type")) return into.acceptEnvelope(prepare(fromHermes(value as unknown as HermesFrame, place)).envelope);
  if (Object.hasOwn(value, "v")) return into.accept(text);
  throw badRequest(`${place} is neither an envelope nor a frame with "event_type". Nothing was stored.`);
}

/** No forwarder has redacted the events that Hermes sends. A payload that cannot be redacted is hidden whole, so there is no error to report. */
const prepare = createEnvelopePreparer({ maxPayloadBytes: MAX_BYTES, onError: () => {} });

function codeOf(code: string): Refused["code"] {
  return code as Refused["code"];
}
