import type { Origin } from "../ingest/origins.js";
import type { ChainHead } from "../protocol.js";
import type { Erasure } from "./erase.js";
import type { HandlerRange } from "./handler-reader.js";
import type { FiredHandler } from "./handler-writer.js";
import type { OverviewRange } from "./overview.js";
import type { PackedRows } from "./packed-rows.js";
import type { Share } from "./reader.js";
import type { RetentionLimits } from "./retention.js";
import type { SessionChoice } from "./session-table.js";
import type { EventFilter, TimeFilter, TimePlace } from "./store.js";
import type { StoreFault } from "./store-files.js";
import type { Marks } from "./writer.js";

/** What the store's thread is asked; `call` pairs it with its answer. */
export type StoreRequest = { readonly call: number } & (
  | { readonly type: "append"; readonly rows: PackedRows; readonly marks: Marks | undefined }
  | { readonly type: "page"; readonly filter: EventFilter; readonly before: number | undefined; readonly share: Share }
  | { readonly type: "after"; readonly filter: EventFilter; readonly place: number; readonly share: Share }
  | {
      readonly type: "inTime";
      readonly filter: TimeFilter;
      readonly order: "newest" | "oldest";
      readonly limit: number;
      readonly from: TimePlace | undefined;
    }
  | { readonly type: "family"; readonly session: string; readonly limit: number }
  | { readonly type: "get" | "session" | "provedBy"; readonly id: string }
  | { readonly type: "idsThatBegin"; readonly begins: string; readonly limit: number }
  | { readonly type: "identify"; readonly origin: Origin }
  | { readonly type: "ownerOf"; readonly instance: string }
  | { readonly type: "watchedSince"; readonly sessions: readonly string[] }
  | { readonly type: "sessions"; readonly limit: number; readonly of: SessionChoice }
  | { readonly type: "counts"; readonly since: number }
  | { readonly type: "overview"; readonly range: OverviewRange }
  | { readonly type: "usage"; readonly bounds: readonly number[] }
  | { readonly type: "handlers"; readonly range: HandlerRange }
  | { readonly type: "fired"; readonly handlers: readonly FiredHandler[] }
  | { readonly type: "retain" | "excess" | "keepWithin"; readonly limits: RetentionLimits }
  | { readonly type: "erase"; readonly erasure: Erasure }
  | { readonly type: "holdsHead"; readonly head: ChainHead }
  | { readonly type: "transcriptHeads"; readonly id: string }
  | { readonly type: "cursor"; readonly name: string }
  | { readonly type: "cursors"; readonly prefix: string }
  | { readonly type: "setCursor"; readonly name: string; readonly place: number }
  | { readonly type: "fact"; readonly name: string }
  | { readonly type: "setFact"; readonly name: string; readonly value: string | undefined }
  | { readonly type: "stats" | "tools" | "lastPlace" | "chainHead" | "indexed" | "scrub" | "close" }
);

export type StoreReply =
  | ({ readonly call: number } & ({ readonly result: unknown } | { readonly error: StoreFailure }))
  /** Sent without a request: what is wrong with the files, for the log and an alarm. */
  | { readonly fault: StoreFault }
  /** Sent without a request: what failed beside the requests, for the log. */
  | { readonly problem: string }
  /** Sent before anything is answered: what takes long. */
  | { readonly progress: string };

/** An error cannot cross threads with its code. */
export interface StoreFailure {
  readonly message: string;
  readonly isDiskFull: boolean;
  readonly isDamaged: boolean;
}
