import type { ServerResponse } from "node:http";
import type { EventFilter, Store, StoredEvent, TimeFilter, TimePlace } from "../store/store.js";
import type { ExportFormat } from "./formats.js";

const PAGE = 200;
const STALL_MS = 30_000;

export interface Exported {
  readonly format: ExportFormat;
  readonly filter: EventFilter | TimeFilter;
  readonly filterText: string;
  readonly limit: number;
}

/** Writes events as fast as they are taken, and no faster: never more than a page of them is in memory. Never rejects. */
export async function writeExport(
  store: Pick<Store, "page" | "inTime">,
  outgoing: ServerResponse,
  { format, filter, filterText, limit }: Exported,
): Promise<void> {
  try {
    outgoing.write(format.head(filterText));
    const pages = openPages(store, filter);
    let count = 0;
    do {
      const events = await pages.next(Math.min(PAGE, limit - count));
      count += events.length;
      if (!(await taken(outgoing, events.map(format.row).join("")))) return;
    } while (pages.hasMore() && count < limit);
    outgoing.end(format.tail(count, pages.hasMore()));
  } catch {
    // Half a file must not look like a whole one.
    outgoing.destroy();
  }
}

interface Pages {
  next(limit: number): Promise<readonly StoredEvent[]>;
  hasMore(): boolean;
}

/** Newest first: by place, or those of sessions by their times. */
function openPages(store: Pick<Store, "page" | "inTime">, filter: EventFilter | TimeFilter): Pages {
  return "sessions" in filter ? byTime(store, filter) : byPlace(store, filter);
}

function byPlace(store: Pick<Store, "page">, filter: EventFilter): Pages {
  let before: number | undefined;
  return {
    async next(limit) {
      const { events, cursor } = await store.page(filter, { limit, ...(before !== undefined && { before }) });
      before = cursor;
      return events;
    },
    hasMore: () => before !== undefined,
  };
}

function byTime(store: Pick<Store, "inTime">, filter: TimeFilter): Pages {
  let from: TimePlace | undefined;
  return {
    async next(limit) {
      const { events, next } = await store.inTime(filter, { order: "newest", limit, from });
      from = next;
      return events;
    },
    hasMore: () => from !== undefined,
  };
}

/** False if the client has gone or no longer reads. */
function taken(outgoing: ServerResponse, text: string): Promise<boolean> {
  if (outgoing.destroyed) return Promise.resolve(false);
  if (text === "" || outgoing.write(text)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), STALL_MS).unref();
    const end = (isTaken: boolean) => () => {
      clearTimeout(timer);
      outgoing.off("drain", drained).off("close", gone);
      resolve(isTaken);
    };
    const [drained, gone] = [end(true), end(false)];
    outgoing.once("drain", drained).once("close", gone);
  });
}
