import type { AllocationRow } from "../allocations.ts";
import { byHandle, byName } from "../emitters/hookline.ts";
import { synchronousPeers } from "../emitters/peers.ts";
import type { Group } from "../group.ts";
import type { AllocationTarget } from "../targets.ts";
import { listeners } from "./emit-rows.ts";

/** What an emit leaves on the heap. */
export function allocations(): Group {
  const targets = [0, 1, 10].flatMap((count) => [targetOf(count, byHandle.name), targetOf(count, byName.name)]);
  return { allocationRows: [0, 1, 10].map(rowOf), allocationTargets: targets };
}

function rowOf(observers: number): AllocationRow {
  const contenders = [byHandle, byName, ...synchronousPeers].map(({ name, role, open }) => ({ name, role, run: open(observers).constant }));
  return { name: nameOf(observers), contenders };
}

// "Small": a header of 24 bytes and a dozen fields.
function targetOf(observers: number, contender: string): AllocationTarget {
  const size = observers === 0 ? { objects: 0, bytes: 0 } : { objects: 1, bytes: 120 };
  return { row: nameOf(observers), contender, ...size };
}

function nameOf(observers: number): string {
  return `allocations of an emit, ${listeners(observers)}`;
}
