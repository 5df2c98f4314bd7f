import { byHandle, byName } from "../emitters/hookline.ts";
import type { Group } from "../group.ts";
import type { Target } from "../targets.ts";
import { constantRowName, rotatingRow } from "./emit-rows.ts";

/** Publishing to nobody: what leaving the bus in costs. */
export function noHandler(): Group {
  const row = rotatingRow(0);
  return { rows: [row], apart: [0], targets: [...targetsOf(row.name), ...targetsOf(constantRowName(0))] };
}

function targetsOf(row: string): Target[] {
  return [
    { kind: "at most", row, contender: byHandle.name, peer: "nanoevents", limit: 2, orNs: 5 },
    { kind: "at most", row, contender: byName.name, peer: "eventemitter3", limit: 1.5 },
  ];
}
