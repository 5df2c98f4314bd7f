import type { DatabaseSync } from "node:sqlite";
import type { StoreFault, StoreFiles } from "./store-files.js";
import type { createWriter } from "./writer.js";

type Writer = ReturnType<typeof createWriter>;

/** How often the files are looked at while nothing is written. */
const LOOK_MS = 1_000;

/** Thrown in the place of an acknowledgement. */
export class StoreFaultError extends Error {
  readonly fault: StoreFault;

  constructor(fault: StoreFault) {
    super(fault.text);
    this.fault = fault;
  }
}

export interface StoreHealth {
  /** The writer, which acknowledges nothing once the files are wrong. */
  readonly writer: Writer;
  /** To be called before anything else is written. */
  check(): void;
  close(): void;
}

interface Watched {
  readonly database: DatabaseSync;
  readonly files: StoreFiles;
  /** Told of each new fault. */
  readonly onFault: (fault: StoreFault) => void;
  /** Called when the files were written again and the store must be opened again. */
  readonly onRestored: () => void;
}

/**
 * Keeps the store from acknowledging what would not be there after a restart. A file that was removed or replaced is written again from the
 * open one; a damaged file needs an operator.
 */
export function watchStoreHealth(writer: Writer, { database, files, onFault, onRestored }: Watched): StoreHealth {
  let fault: StoreFault | undefined;
  /** What happened to the files, without what then failed. */
  let moved: string | undefined;
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  note(files.fault());

  function note(found: StoreFault | undefined): void {
    if (found === undefined || found.text === fault?.text) return;
    fault = found;
    onFault(found);
  }

  function refuse(): void {
    if (fault !== undefined) throw new StoreFaultError(fault);
  }

  function checkLog(): void {
    if (fault !== undefined) return;
    const cut = files.cutLog();
    if (cut === undefined) return;
    // The gap stays: SQLite would put its zeros into the database.
    database.exec("PRAGMA query_only = ON");
    note(cut);
  }

  function look(): void {
    checkLog();
    if (fault === undefined) note(files.fault());
    if (fault?.kind !== "moved") return;
    moved ??= fault.text;
    try {
      files.restore(database);
      onRestored();
    } catch (error) {
      note({ kind: "moved", text: `${moved}, and cannot be written again: ${(error as Error).message}` });
    }
  }

  return {
    writer: {
      write(rows, marks) {
        checkLog();
        refuse();
        try {
          const places = writer.write(rows, marks);
          note(files.moved());
          refuse();
          return places;
        } catch (error) {
          if (isCorrupt(error)) note({ kind: "damaged", text: (error as Error).message });
          throw error;
        }
      },
    },
    check: checkLog,
    close: () => clearInterval(timer),
  };
}

const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** Whether an error says that the store's file is not whole, or lacks a table. */
export function isCorrupt(error: unknown): boolean {
  const { errcode, message } = (error ?? {}) as { readonly errcode?: unknown; readonly message?: unknown };
  if ((errcode ?? SQLITE_ERROR) === SQLITE_ERROR && /^no such (?:table|column): /.test(String(message))) return true;
  return typeof errcode === "number" && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff);
}
