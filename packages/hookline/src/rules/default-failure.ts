import { specsOf } from "./rule-faults.js";

/** What the failure of something from a file means unless it says so itself: a guard that could have blocked has not let it pass. */
export function defaultFailureMode(event: string): "open" | "closed" {
  return specsOf(event).some(({ kind, outcomes }) => kind === "gate" && outcomes.includes("block")) ? "closed" : "open";
}
