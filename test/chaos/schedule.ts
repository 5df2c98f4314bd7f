import { createRandom } from "../faults/oracle.ts";
import type { Fault, Random } from "./fault.ts";
import { guardFaults } from "./guard-faults.ts";
import { hubFaults } from "./hub-faults.ts";
import { roleFaults } from "./role-faults.ts";
import { storeFaults } from "./store-faults.ts";
import { PUBLISHERS, type Role } from "./world.ts";

/** What breaks at the same time. The seed and its number fix it, so any of a schedule's steps can be repeated without the others. */
export interface Step {
  readonly index: number;
  readonly faults: readonly Fault[];
}

const MAIN: readonly Fault[] = [...hubFaults, ...guardFaults, ...storeFaults];
/** In every six steps the power fails at these. */
const [ROUND, CUTS] = [6, [1, 4]];
/** At most so many roles are hit at the same time. */
const MOST_ROLES = 5;

export function stepAt(seed: number, index: number): Step {
  const random = randomOf(seed, index);
  const [cut] = storeFaults;
  const main = CUTS.includes(index % ROUND) && cut !== undefined ? cut : draw(MAIN, random);
  const eligible = main.isPublishersApart === true ? roleFaults.filter(({ role }) => !isPublisher(role)) : roleFaults;
  const others: (typeof roleFaults)[number][] = [];
  for (let count = random.between(3, MOST_ROLES); count > 0; count--) {
    const other = draw(eligible, random);
    if (!others.some(({ role }) => role === other.role)) others.push(other);
  }
  return { index, faults: [main, ...others] };
}

/** The numbers of one fault of a step. */
export function randomOf(seed: number, index: number, fault = 0): Random {
  return createRandom(Math.imul(seed, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35) ^ Math.imul(fault, 0x27d4eb2f));
}

function draw<F extends Fault>(from: readonly F[], random: Random): F {
  let left = random.next() * from.reduce((sum, { weight }) => sum + weight, 0);
  const found = from.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return (found ?? from[0]) as F;
}

function isPublisher(role: Role): boolean {
  return PUBLISHERS.some((each) => each === role);
}
