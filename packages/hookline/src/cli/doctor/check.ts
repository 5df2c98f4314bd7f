import { type Fix, withFix } from "@hookline/core/internal/machine";
import type { Facts as HubFacts } from "./facts.js";

/** `warn`: works, but not as it should. `skip`: cannot be checked now. */
export type CheckState = "ok" | "warn" | "fail" | "skip";

export interface Finding {
  readonly state: CheckState;
  /** What the check found; never a secret. */
  readonly detail: string;
  /** The command that fixes it, if it differs from the check's own. */
  readonly fix?: string;
}

/** `Facts`: what the checks look at, read once. */
export interface Check<Facts = HubFacts> {
  readonly id: string;
  readonly title: string;
  /** The command that fixes it. */
  readonly fix: string;
  look(facts: Facts): Finding | Promise<Finding>;
}

export function ok(detail: string): Finding {
  return { state: "ok", detail };
}

export function skip(detail: string): Finding {
  return { state: "skip", detail };
}

export function warn(detail: string, fix?: string): Finding {
  return { state: "warn", detail, ...(fix !== undefined && { fix }) };
}

export function fail(detail: string, fix?: string): Finding {
  return { state: "fail", detail, ...(fix !== undefined && { fix }) };
}

/** A failure that brings its own fix. A command becomes the finding's; a sentence is shown with the failure. */
export function failWith(detail: string, fix: Fix | undefined, otherwise?: string): Finding {
  return typeof fix === "object" ? fail(detail, fix.run) : fail(withFix(detail, fix), otherwise);
}
