import type { ServerResponse } from "node:http";
import type { EventFilter, Store, TimeFilter } from "../store/store.js";
import type { ExportFormat } from "./formats.js";
import { inReadingOrder, newestFirst, PAGE } from "./pages.js";

const STALL_MS = 30_000;

export interface Exported {
  readonly format: ExportFormat;
  readonly filter: EventFilter | TimeFilter;
  readonly filterText: string;
  readonly limit: number;
}

/** Writes events as fast as they are taken, and no faster: never more than a page of them is in memory. Never rejects. */
export async function writeExport(
  store: Pick<Store, "page" | "inTime" | "after">,
  outgoing: ServerResponse,
  { format, filter, filterText, limit }: Exported,
): Promise<void> {
  try {
    const writer = format.open(filterText);
    outgoing.write(writer.head);
    const pages = format.isInReadingOrder ? await inReadingOrder(store, filter, limit) : newestFirst(store, filter);
    let count = 0;
    do {
      const events = await pages.next(Math.min(PAGE, limit - count));
      count += events.length;
      if (!(await taken(outgoing, events.map(writer.row).join("")))) return;
    } while (pages.hasNext() && count < limit);
    outgoing.end(writer.tail(count, pages.hasMore()));
  } catch {
    // Half a file must not look like a whole one.
    outgoing.destroy();
  }
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
