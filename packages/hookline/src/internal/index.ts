// For Hookline's own tests and benchmarks, without promises: the store runs in a worker, so they open the built one.

export { parseConfig } from "../config/load-config.js";
export { createCallReader } from "../hub/agents/read-call.js";
export { createEventPreparer } from "../hub/ingest/event-preparer.js";
export { openStore } from "../hub/store/open-store.js";
export { SCHEMA_VERSION } from "../hub/store/schema.js";
export type { EventFilter, Store } from "../hub/store/store.js";
