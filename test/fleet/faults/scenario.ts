import type { Verdict } from "../../faults/judge.ts";

interface FleetFaults {
  /** The path of nats-server. */
  readonly program: string;
  readonly seed: number;
  readonly isQuick: boolean;
}

/** Breaks something in a fleet of real processes, and says whether what must hold held. Adds to the number of kills. */
export type FleetScenario = (options: FleetFaults) => Promise<Verdict & { readonly kills: number }>;

export const HOSTS = ["anna", "ben"];
