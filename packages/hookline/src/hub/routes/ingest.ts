import { setImmediate } from "node:timers/promises";
import { ENVELOPE_START } from "@hookline/core/internal/wire";
import { z } from "zod";
import { json } from "../http/answer.js";
import { badRequest, Refused } from "../http/refused.js";
import { JSON_MEDIA, NDJSON_MEDIA, readBody, readObject, readText } from "../http/request-body.js";
import { isRefusal } from "../ingest/accept.js";
import type { Origin } from "../ingest/origins.js";
import type { Accepted, HubParts, Ingest } from "../parts.js";
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
      const into = { ingest: parts.ingest, preparer: parts.preparer, origin: parts.ingest.requestOrigins.of(incoming.socket) };
      const events = mediaType === NDJSON_MEDIA ? await acceptLines(into, text) : [await accept(into, text, "The body")];
      return json((await parts.ingest.append(events)) satisfies IngestAnswer);
    } finally {
      waitingChars -= text.length;
    }
  },
});

function tooMany(message: string): Refused {
  return new Refused(429, "HL_TOO_MANY", message, { headers: { "Retry-After": "1" } });
}

interface Into extends Pick<HubParts, "ingest" | "preparer"> {
  readonly origin: Origin;
}

/** So many characters are read before others have their turn. */
const TURN_CHARS = 256 * 1024;

async function acceptLines(into: Into, text: string): Promise<Accepted[]> {
  const events: Accepted[] = [];
  let chars = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() !== "") events.push(await accept(into, line, `Line ${index + 1}`));
    chars += line.length;
    if (chars < TURN_CHARS) continue;
    chars = 0;
    await setImmediate();
  }
  return events;
}

async function accept(into: Into, text: string, place: string): Promise<Accepted> {
  const result = text.startsWith(ENVELOPE_START) ? into.ingest.accept(text, into.origin) : await acceptOther(into, text, place);
  if (!isRefusal(result)) return result;
  throw new Refused(400, codeOf(result.code), `${place}: ${result.reason} Nothing was stored.`);
}

async function acceptOther({ ingest, preparer, origin }: Into, text: string, place: string): Promise<ReturnType<Ingest["accept"]>> {
  const value = readObject(text, place);
  // No forwarder has redacted the events that Hermes sends.
  if (Object.hasOwn(value, "event_type"))
    return ingest.accept(await preparer.line(fromHermes(value as unknown as HermesFrame, place)), origin);
  if (Object.hasOwn(value, "v")) return ingest.accept(text, origin);
  throw badRequest(`${place} is neither an envelope nor a frame with "event_type". Nothing was stored.`);
}

function codeOf(code: string): Refused["code"] {
  return code as Refused["code"];
}
