import type { Judge } from "../faults/judge.ts";
import type { createRandom } from "../faults/oracle.ts";
import type { World } from "./world.ts";

export type Random = ReturnType<typeof createRandom>;

/** What a fault is given: the world, numbers of its own, and the judge for what can only be looked at while it lasts. */
export interface Scene {
  readonly world: World;
  readonly random: Random;
  readonly judge: Judge;
}

/** Something that breaks, and is over when `act` resolves. */
export interface Fault {
  /** What it says in the schedule. */
  readonly name: string;
  /** How often it is drawn, next to the others of its kind. */
  readonly weight: number;
  /** How many processes it kills, and how often it cuts the power. */
  readonly kills?: number;
  readonly cuts?: number;
  /** No publisher is killed or stopped meanwhile: they are asked, or could not keep what they owe. */
  readonly isPublishersApart?: boolean;
  /** Why it cannot happen in this world. */
  readonly missing?: (world: World) => string | undefined;
  /** Gives what shows that it happened; throws if it did not. */
  readonly act: (scene: Scene) => Promise<void>;
}

/** Throws unless the fault was seen to happen. */
export function happened(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`It did not happen: ${what}.`);
}
