import { LazyPart } from "./lazy-part.js";

/** Runs a tool between its hooks. */
export const toolRuns = new LazyPart(() => import("./run-tool.js"));
