import type { Arrival, HubParts, Live } from "../parts.js";
import { charsOf, type EventFilter, isLastPage, type StoredEvent } from "../store/store.js";
import { filterKey } from "./event-matcher.js";
import type { ReadQueue } from "./read-queue.js";
import type { SseClient } from "./sse-client.js";
import { approvalFrame, byeFrame, currentFrame, eventFrames, helloFrame } from "./sse-frames.js";
import { searchSlices, timeSlices } from "./time-slices.js";
import { createTextMatcher } from "./words.js";

export interface Following {
  readonly client: SseClient;
  readonly filter: EventFilter;
  /** Resumes after this place; without one it begins with what comes next. */
  readonly after: number | undefined;
}

interface Parts extends Pick<HubParts, "store" | "instance" | "approvals"> {
  readonly live: Pick<Live, "watch">;
  readonly replays: ReadQueue;
}

/** A page is small enough to be read and sent at once without delaying other clients. One event may be 4 MiB. */
const PAGE = 200;
const PAGE_CHARS = 512 * 1024;
/** How much may come while a client still gets what it missed. */
const MAX_HELD_CHARS = 8 * 1024 * 1024;

/** Gives a client what it missed and then what comes, without a gap and nothing twice. Never rejects. */
export async function follow(parts: Parts, { client, filter, after }: Following): Promise<void> {
  try {
    const last = await parts.store.lastPlace();
    // A place beyond the last is another store's.
    const start = Math.min(after ?? last, last);
    client.send(helloFrame(start, { instance: parts.instance, place: last }));
    tellApprovals(parts, client);
    const place = await replay(parts, client, { filter, place: start });
    await join(parts, client, { filter, place });
  } catch {
    client.end(byeFrame({ reason: "failed" }));
  }
}

/** How many calls wait for a person: now, and whenever that may be another number. */
function tellApprovals({ approvals }: Parts, client: SseClient): void {
  const tell = (): void => client.send(approvalFrame({ approvals: approvals.list().length }));
  client.onClose(approvals.onChange(tell));
  tell();
}

interface Stretch {
  readonly filter: EventFilter;
  readonly place: number;
}

/** Watches first and looks into the store once more: what was committed in between is in one of the two, or in both. */
async function join(parts: Parts, client: SseClient, { filter, place }: Stretch): Promise<void> {
  const waiting: (readonly Arrival[])[] = [];
  let waitingChars = 0;
  let replayed: number | undefined;
  const tell = (arrivals: readonly Arrival[]): void => {
    if (replayed === undefined) return hold(arrivals);
    const fresh = newerThan(arrivals, replayed);
    if (fresh.length > 0) client.send(...eventFrames(fresh));
  };
  const hold = (arrivals: readonly Arrival[]): void => {
    waiting.push(arrivals);
    waitingChars += charsOf(arrivals);
    if (waitingChars > MAX_HELD_CHARS) client.letGo();
  };
  client.onClose(parts.live.watch(filter, tell, () => client.letGo()));
  const last = await parts.store.lastPlace();
  const sent = await replay(parts, client, { filter, place });
  // Before what has come meanwhile, whose places are higher.
  client.send(currentFrame({ place: Math.max(last, sent) }));
  replayed = sent;
  for (const arrivals of waiting.splice(0)) tell(arrivals);
}

/** Sends everything stored after a place, as fast as the client takes it, and gives the place it has got to. */
async function replay({ store, replays }: Parts, client: SseClient, { filter, place }: Stretch): Promise<number> {
  // Text is looked for here: the store's index lags behind what is stored, and what it does not know yet would be left out.
  const { text = "", ...rest } = filter;
  const pages = filterKey(rest);
  const matches = createTextMatcher(text);
  let at = place;
  for (let isLast = false; client.isOpen && !isLast; ) {
    const from = at;
    const rows = (await replays.ask(`${from} ${pages}`, client, () => store.after(from, rest, PAGE, PAGE_CHARS))) ?? [];
    at = rows.at(-1)?.place ?? at;
    const wanted = text === "" ? rows : await search(rows, matches);
    if (wanted.length > 0) await timeSlices.run(sendTo(client, wanted));
    await client.drained();
    isLast = isLastPage(rows, PAGE, PAGE_CHARS);
  }
  return at;
}

async function search(rows: readonly StoredEvent[], matches: (row: StoredEvent) => boolean): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  function* searchEach(): Iterable<void> {
    for (const row of rows) {
      if (matches(row)) found.push(row);
      yield;
    }
  }
  await searchSlices.run(searchEach());
  return found;
}

function* sendTo(client: SseClient, rows: readonly StoredEvent[]): Iterable<void> {
  client.send(...eventFrames(rows));
  yield;
}

// The usual case gives the list back as it is, because its bytes are shared.
function newerThan(arrivals: readonly Arrival[], place: number): readonly Arrival[] {
  const isNew = ({ place: own }: Arrival): boolean => own > place;
  return arrivals.every(isNew) ? arrivals : arrivals.filter(isNew);
}
