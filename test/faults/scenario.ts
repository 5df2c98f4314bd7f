import type { Verdict } from "./judge.ts";

/** `full` is what `npm run test:faults` runs, and looks at the clock; `short` is for `npm test`, which does not. */
type Size = "short" | "full";

/** Breaks something on real processes, and says whether what must hold held. */
export type Scenario = (seed: number, size: Size) => Promise<Verdict>;
