import type { Sandbox } from "./sandbox.ts";

/** One thing the line promises, measured with real processes. */
export interface Measurement {
  readonly name: string;
  run(sandbox: Sandbox, say: (progress: string) => void, size: Size): Promise<Finding[]>;
}

/** What the command line asks for. */
export interface Size {
  /** How many recorded events a backtest reads. */
  readonly events?: number;
}

/** A number and what was promised; without a target it only explains. */
export interface Finding {
  readonly row: string;
  readonly what: string;
  readonly measured: string;
  readonly target?: string;
  readonly isReached?: boolean;
  /** What stands beside it: the obvious alternatives, from the same rounds. */
  readonly beside?: string;
}

/** A finding whose number may be at most so much. */
export function atMost(
  limit: number,
  measured: number,
  finding: Pick<Finding, "row" | "what" | "measured" | "target" | "beside">,
): Finding {
  return { ...finding, isReached: measured <= limit };
}

export function atLeast(
  limit: number,
  measured: number,
  finding: Pick<Finding, "row" | "what" | "measured" | "target" | "beside">,
): Finding {
  return { ...finding, isReached: measured >= limit };
}
