import { setTimeout as pause } from "node:timers/promises";

/** Waits until something holds; says what it waited for when it does not. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited ${limitMs} ms in vain until ${what}.`);
    await pause(20);
  }
}
