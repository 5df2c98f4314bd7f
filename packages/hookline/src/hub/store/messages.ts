import type { EventFilter } from "./store.js";
import type { Row } from "./writer.js";

/** What the store's thread is asked; `call` pairs it with its answer. */
export type StoreRequest = { readonly call: number } & (
  | { readonly type: "append"; readonly rows: readonly Row[] }
  | { readonly type: "page"; readonly filter: EventFilter; readonly limit: number; readonly before: number | undefined }
  | { readonly type: "after"; readonly place: number; readonly filter: EventFilter; readonly limit: number }
  | { readonly type: "get"; readonly id: string }
  | { readonly type: "sessions"; readonly limit: number }
  | { readonly type: "counts"; readonly since: number }
  | { readonly type: "retain"; readonly limits: { readonly maxAgeMs?: number; readonly maxBytes?: number } }
  | { readonly type: "stats" | "indexed" | "close" }
);

export type StoreReply = { readonly call: number } & ({ readonly result: unknown } | { readonly error: string });
