import type { AllocationRow } from "./allocations.ts";
import type { Row } from "./measure.ts";
import type { AllocationTarget, Target } from "./targets.ts";

/** A set of rows and what the project promises about them. */
export interface Group {
  readonly rows?: readonly Row[];
  /** Numbers of observers with which emitting one name is measured in a process apart. */
  readonly apart?: readonly number[];
  readonly targets?: readonly Target[];
  readonly allocationRows?: readonly AllocationRow[];
  readonly allocationTargets?: readonly AllocationTarget[];
}
