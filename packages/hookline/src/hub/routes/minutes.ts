import { readCount } from "./read-query.js";
import type { Parameter, Query } from "./route.js";

const MAX_MINUTES = 44_640;
const DEFAULT_MINUTES = 60;

/** How far back a question about the latest time goes. */
export const minutesParameter: Parameter = {
  description: "How far back.",
  schema: { type: "integer", minimum: 1, maximum: MAX_MINUTES, default: DEFAULT_MINUTES },
};

export function readMinutes(query: Query): number {
  return readCount(query, "minutes", { min: 1, max: MAX_MINUTES }) ?? DEFAULT_MINUTES;
}
