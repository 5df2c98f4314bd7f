import { LazyPart } from "./lazy-part.js";

/** Reads streams, and looks into values: for closed handlers of transforms, and for tools that return streams. */
export const wholeValues = new LazyPart(() => import("./make-whole.js"));
