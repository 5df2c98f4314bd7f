import type { Arrival, HubParts, Live } from "../parts.js";
import { type EventFilter, isLastPage, type StoredEvent } from "../store/store.js";
import type { SseClient } from "./sse-client.js";
import { approvalFrame, arrivalFrames, byeFrame, eventFrames, helloFrame } from "./sse-frames.js";
import { createTextMatcher } from "./words.js";

export interface Following {
  readonly client: SseClient;
  readonly filter: EventFilter;
  /** Resumes after this place; without one it begins with what comes next. */
  readonly after: number | undefined;
}

interface Parts extends Pick<HubParts, "store" | "instance" | "approvals"> {
  readonly live: Pick<Live, "watch">;
}

const PAGE = 200;

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
  let replayed: number | undefined;
  const tell = (arrivals: readonly Arrival[]): void => {
    if (replayed === undefined) return void waiting.push(arrivals);
    const fresh = newerThan(arrivals, replayed);
    if (fresh.length > 0) client.send(arrivalFrames(fresh));
  };
  client.onClose(parts.live.watch(filter, tell));
  replayed = await replay(parts, client, { filter, place });
  for (const arrivals of waiting) tell(arrivals);
}

/** Sends everything stored after a place, as fast as the client takes it, and gives the place it has got to. */
async function replay({ store }: Parts, client: SseClient, { filter, place }: Stretch): Promise<number> {
  // Text is looked for here: the store's index lags behind what is stored, and what it does not know yet would be left out.
  const { text = "", ...rest } = filter;
  const matches = createTextMatcher(text);
  let at = place;
  for (let rows: readonly StoredEvent[] = []; client.isOpen; ) {
    rows = await store.after(at, rest, PAGE);
    at = rows.at(-1)?.place ?? at;
    const wanted = text === "" ? rows : rows.filter(({ body }) => matches(body));
    if (wanted.length > 0) client.send(eventFrames(wanted));
    await client.drained();
    if (isLastPage(rows, PAGE)) break;
  }
  return at;
}

// The usual case gives the list back as it is, because its bytes are shared.
function newerThan(arrivals: readonly Arrival[], place: number): readonly Arrival[] {
  const isNew = ({ place: own }: Arrival): boolean => own > place;
  return arrivals.every(isNew) ? arrivals : arrivals.filter(isNew);
}
