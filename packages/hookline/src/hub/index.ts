export { type Hub, startHub } from "./hub.js";
export type { HubOptions } from "./lifecycle/hub-options.js";
export type {
  Accepted,
  Arrival,
  GateRequest,
  Gates,
  HubParts,
  Ingest,
  Live,
  Refusal,
  Scope,
  SinkRow,
  Sinks,
  SourceRow,
  Sources,
  Tokens,
} from "./parts.js";
export { openStore } from "./store/open-store.js";
export type { EventFilter, EventPage, SessionSummary, Store, StoredEvent, StoreStats } from "./store/store.js";
