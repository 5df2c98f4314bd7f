import type { HandlerRow } from "../protocol.js";
import { readHandlerRow } from "./read-handler-row.js";

const PATIENCE_MS = 2_000;
const MAX_ROWS = 2_000;

export interface HandlerReports {
  /** Nothing when no answer comes: an older process does not know the question. */
  ask(): Promise<readonly HandlerRow[] | undefined>;
  hear(frame: { readonly handlers?: unknown }): void;
  close(): void;
}

/** Asks one process what is registered in it. A caller that asks while a question is open gets the same answer. */
export function createHandlerReports(send: () => void): HandlerReports {
  let asking: Promise<readonly HandlerRow[] | undefined> | undefined;
  let settle: (rows?: readonly HandlerRow[]) => void = () => {};

  function open(): Promise<readonly HandlerRow[] | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(), PATIENCE_MS);
      settle = (rows) => {
        clearTimeout(timer);
        asking = undefined;
        resolve(rows);
      };
      send();
    });
  }

  return {
    ask() {
      asking ??= open();
      return asking;
    },
    hear: ({ handlers }) => settle(Array.isArray(handlers) ? readRows(handlers) : undefined),
    close: () => settle(),
  };
}

function readRows(handlers: readonly unknown[]): readonly HandlerRow[] {
  return handlers
    .slice(0, MAX_ROWS)
    .map(readHandlerRow)
    .filter((row) => row !== undefined);
}
