import { setImmediate as turnOfLoop } from "node:timers/promises";
import { upgradeEnvelope } from "@hookline/core/internal";
import type { Envelope } from "@hookline/core/sinks";
import type { TimelineAnswer } from "../protocol.js";
import type { Store, StoredEvent, TimePage, TimePlace } from "../store/store.js";
import { SpanBuilder } from "./build-spans.js";
import { partsWithin, type SessionPart, spanOfSession } from "./child-sessions.js";

const PAGE = 1_000;
/** So many are parsed in one go, and nothing else happens in the hub meanwhile. */
const AT_ONCE = 200;
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
    for await (const events of pagesOf(store, next.id)) {
      for (const { place, body } of events) {
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
      budget -= events.length;
      isCut = spans.length + builder.spans.length > limit || budget <= 0 || chars > MAX_CHARS;
      if (isCut) break;
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

/** The events of a session in their order, some at a time. The store reads the next page while this one is worked on. */
async function* pagesOf(store: Pick<Store, "inTime">, session: string): AsyncGenerator<readonly StoredEvent[]> {
  const read = (from?: TimePlace): Promise<TimePage> => store.inTime({ sessions: [session] }, { order: "oldest", limit: PAGE, from });
  for (let reading: Promise<TimePage> | undefined = read(); reading !== undefined; ) {
    const { events, next }: TimePage = await reading;
    reading = next === undefined ? undefined : read(next);
    // A reader that has enough spans does not wait for it.
    reading?.catch(() => {});
    for (let at = 0; at < events.length; at += AT_ONCE) {
      if (at > 0) await turnOfLoop();
      yield events.slice(at, at + AT_ONCE);
    }
  }
}
