export { openStore } from "./store/open-store.js";
export type { AppendResult, EventFilter, EventPage, SessionSummary, Store, StoredEvent, StoreStats } from "./store/store.js";
