import type { Envelope } from "@hookline/core/sinks";
import type { TimelineAnswer } from "../protocol.js";
import { isLastPage, type Store } from "../store/store.js";
import { SpanBuilder } from "./build-spans.js";

/** Each is parsed in one go, and nothing else happens in the hub meanwhile. */
const PAGE = 200;
const MAX_CHARS = 128 * 1024 * 1024;
/** Of events read for one answer: most are no span of their own. */
const EVENTS_PER_SPAN = 20;
const MAX_SESSIONS = 200;

/** A session as spans, its workers' sessions in theirs. */
export async function readTimeline(store: Pick<Store, "after">, session: string, limit: number): Promise<TimelineAnswer> {
  const spans: TimelineAnswer["spans"][number][] = [];
  const waiting: { readonly id: string; readonly root?: string }[] = [{ id: session }];
  const seen = new Set([session]);
  let budget = limit * EVENTS_PER_SPAN;
  let chars = 0;
  let isCut = false;
  for (let next = waiting.shift(); next !== undefined && !isCut; next = waiting.shift()) {
    const builder = new SpanBuilder(next.root);
    for (let place = 0; ; ) {
      const rows = await store.after(place, { session: next.id }, PAGE);
      for (const { body } of rows) {
        chars += body.length;
        builder.add(JSON.parse(body) as Envelope);
      }
      place = rows.at(-1)?.place ?? place;
      budget -= rows.length;
      isCut = spans.length + builder.spans.length > limit || budget <= 0 || chars > MAX_CHARS;
      if (isCut || isLastPage(rows, PAGE)) break;
    }
    spans.push(...builder.spans);
    for (const [id, root] of builder.workers) {
      if (seen.has(id) || seen.size >= MAX_SESSIONS) continue;
      seen.add(id);
      waiting.push({ id, root });
    }
  }
  const ordered = spans.sort((a, b) => a.startAt - b.startAt).slice(0, limit);
  return { session, spans: ordered, isCut };
}
