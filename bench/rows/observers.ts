import { byHandle, byName } from "../emitters/hookline.ts";
import type { Group } from "../group.ts";
import type { Target } from "../targets.ts";
import { constantRowName, rotatingRow } from "./emit-rows.ts";

/** Publishing to synchronous observers. */
export function observers(): Group {
  const one = rotatingRow(1);
  const ten = rotatingRow(10);
  return {
    rows: [one, ten],
    apart: [1, 10],
    targets: [
      ...[one.name, constantRowName(1)].flatMap((name) => forBoth((contender) => targetsOfOne(name, contender))),
      ...[ten.name, constantRowName(10)].flatMap((name) => forBoth((contender) => targetsOfTen(name, contender))),
    ],
  };
}

function forBoth(targetsOf: (contender: string) => Target[]): Target[] {
  return [byHandle.name, byName.name].flatMap(targetsOf);
}

function targetsOfOne(row: string, contender: string): Target[] {
  return [
    { kind: "at most", row, contender, peer: "eventemitter3", limit: 2.5 },
    { kind: "at most", row, contender, peer: "mitt", limit: 1 },
    { kind: "faster", row, contender, peer: "hookable", limit: 10 },
  ];
}

function targetsOfTen(row: string, contender: string): Target[] {
  return [
    { kind: "at most", row, contender, peer: "eventemitter3", limit: 1.5 },
    { kind: "at most", row, contender, peer: "node:events", limit: 1 },
    { kind: "faster", row, contender, peer: "hookable", limit: 10 },
  ];
}
