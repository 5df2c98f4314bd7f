import { byHandle, byName } from "../emitters/hookline.ts";
import { peers } from "../emitters/peers.ts";
import type { ContenderName, Row } from "../measure.ts";

const emitters = [byHandle, byName, ...peers];

/** What a row of emitters shows without opening any of them. */
export const emitterNames: readonly ContenderName[] = emitters.map(({ name, role }) => ({ name, role }));

/** Every emitter with so many observers on each of eight names, emitting them in turn. */
export function rotatingRow(observers: number): Row {
  const contenders = emitters.map(({ name, role, open }) => ({ name, role, run: open(observers).rotating }));
  return { name: `emit, ${listeners(observers)}, 8 names in turn`, checksum: observers, contenders };
}

/** The same, emitting one name for ever. */
export function constantRow(observers: number): Row {
  const contenders = emitters.map(({ name, role, open }) => ({ name, role, run: open(observers).constant }));
  return { name: constantRowName(observers), checksum: observers, contenders };
}

export function constantRowName(observers: number): string {
  return `emit, ${listeners(observers)}, one name`;
}

export function listeners(observers: number): string {
  if (observers === 0) return "no handler";
  return observers === 1 ? "1 observer" : `${observers} observers`;
}
