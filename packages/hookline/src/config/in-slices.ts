import { setImmediate as turn } from "node:timers/promises";

/** How long work may hold the event loop before others have their turn. */
const SLICE_MS = 8;

/** Runs the steps of a long piece of work, and lets the event loop do other work in between. */
export async function inSlices<T>(steps: Generator<unknown, T>): Promise<T> {
  for (let began = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - began < SLICE_MS) continue;
    await turn();
    began = performance.now();
  }
}
