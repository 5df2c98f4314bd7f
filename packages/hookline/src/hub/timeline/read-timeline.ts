import { upgradeEnvelope } from "@hookline/core/internal";
import type { Envelope } from "@hookline/core/sinks";
import type { TimelineAnswer } from "../protocol.js";
import type { Store, TimePlace } from "../store/store.js";
import { SpanBuilder } from "./build-spans.js";
import { partsWithin, type SessionPart, spanOfSession } from "./child-sessions.js";

/** Each is parsed in one go, and nothing else happens in the hub meanwhile. */
const PAGE = 200;
const MAX_CHARS = 128 * 1024 * 1024;
/** Of events read for one answer: most are not spans of their own. */
const EVENTS_PER_SPAN = 20;
const MAX_SESSIONS = 200;

/** A session as spans, its workers' sessions in theirs, and its children in it. */
export async function readTimeline(store: Pick<Store, "inTime" | "sessions">, session: string, limit: number): Promise<TimelineAnswer> {
  const spans: TimelineAnswer["spans"][number][] = [];
  const waiting: SessionPart[] = [{ id: session }];
  const seen = new Set([session]);
  let budget = limit * EVENTS_PER_SPAN;
  let chars = 0;
  let isCut = false;
  for (let next = waiting.shift(); next !== undefined && !isCut; next = waiting.shift()) {
    const root = next.isOwnSpan === true ? `session ${next.id}` : next.root;
    const builder = new SpanBuilder(root);
    let first: Envelope | undefined;
    for (let from: TimePlace | undefined; ; ) {
      const page = await store.inTime({ sessions: [next.id] }, { order: "oldest", limit: PAGE, from });
      for (const { place, body } of page.events) {
        chars += body.length;
        try {
          const envelope = upgradeEnvelope(JSON.parse(body) as Envelope);
          builder.add(envelope);
          first ??= envelope;
        } catch {
          // One event that cannot be read must not hide the others.
          builder.addUnreadable(place);
        }
      }
      from = page.next;
      budget -= page.events.length;
      isCut = spans.length + builder.spans.length > limit || budget <= 0 || chars > MAX_CHARS;
      if (isCut || from === undefined) break;
    }
    builder.end();
    if (next.isOwnSpan === true && first !== undefined) spans.push(spanOfSession(next, first, builder.spans));
    spans.push(...builder.spans);
    const { spans: within, workers } = builder;
    for (const part of partsWithin({ spans: within, workers, root }, await store.sessions(MAX_SESSIONS, { parent: next.id }))) {
      if (seen.has(part.id) || seen.size >= MAX_SESSIONS) continue;
      seen.add(part.id);
      waiting.push(part);
    }
  }
  const ordered = spans.sort((a, b) => a.startAt - b.startAt).slice(0, limit);
  return { session, spans: ordered, isCut };
}
