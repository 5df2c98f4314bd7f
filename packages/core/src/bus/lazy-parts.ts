import { LazyPart } from "./lazy-part.js";

// Prepared by the first handler that may need them (`Slot.fill`). Where one cannot be loaded, what it was needed for is denied or withheld.

/** Reads streams, and looks into values: for closed handlers of transforms, and for tools that return streams. */
export const wholeValues = new LazyPart(() => import("./make-whole.js"));
/** Asks a person. */
export const approvals = new LazyPart(() => import("./approval.js"));
/** Runs a tool between its hooks. */
export const toolRuns = new LazyPart(() => import("./run-tool.js"));
/** Makes gates faster in which all guards pass; without it, `Gate` asks them. */
export const fastGates = new LazyPart(() => import("./decide-fast.js"));
