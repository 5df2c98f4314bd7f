import type { ServerResponse } from "node:http";
import type { EventFilter, Store } from "../store/store.js";
import type { ExportFormat } from "./formats.js";

const PAGE = 200;
const STALL_MS = 30_000;

export interface Exported {
  readonly format: ExportFormat;
  readonly filter: EventFilter;
  readonly filterText: string;
  readonly limit: number;
}

/** Writes events as fast as they are taken, and no faster: never more than a page of them is in memory. Never rejects. */
export async function writeExport(
  store: Pick<Store, "page">,
  outgoing: ServerResponse,
  { format, filter, filterText, limit }: Exported,
): Promise<void> {
  try {
    outgoing.write(format.head(filterText));
    let count = 0;
    let before: number | undefined;
    do {
      const size = Math.min(PAGE, limit - count);
      const { events, cursor } = await store.page(filter, { limit: size, ...(before !== undefined && { before }) });
      count += events.length;
      before = cursor;
      if (!(await taken(outgoing, events.map(format.row).join("")))) return;
    } while (before !== undefined && count < limit);
    outgoing.end(format.tail(count, before !== undefined));
  } catch {
    // Half a file must not look like a whole one.
    outgoing.destroy();
  }
}

/** False when whoever asked has gone, or takes nothing any more. */
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
