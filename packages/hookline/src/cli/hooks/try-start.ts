import { errorText } from "@hookline/core/internal/machine";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";

export interface StartFault {
  readonly name: string;
  readonly what: string;
}

/** Starts or loads every hook that would run, each for itself, and says which do not come up. What was started is ended again. */
export async function findStartFaults(hooks: readonly InstalledHook[]): Promise<readonly StartFault[]> {
  const faults = await Promise.all(hooks.map(tryStart));
  return faults.flat();
}

async function tryStart(hook: InstalledHook): Promise<StartFault[]> {
  const source = hook.state === "active" ? hook.open?.() : undefined;
  try {
    await source?.start?.();
    return [];
  } catch (error) {
    return [{ name: hook.name, what: `it cannot be started: ${errorText(error)}` }];
  } finally {
    await source?.close();
  }
}
