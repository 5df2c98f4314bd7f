import { HookError } from "@hookline/core";
import type { SourceHealth } from "../handler-source.js";
import { type FunctionPlace, importFunction } from "./import-function.js";

/** A function in a file, loaded when it is first needed. */
export interface LazyFunction<F> {
  /** The function itself once it is loaded. Rejects with `HL_HOOK_MODULE`; the next call tries again: the file may have been mended. */
  get(): F | Promise<F>;
  health(): SourceHealth;
  stop(): void;
}

export function createLazyFunction<F>(place: FunctionPlace): LazyFunction<F> {
  let current: F | undefined;
  let loading: Promise<F> | undefined;
  let state: SourceHealth["state"] = "loaded";
  const isStopped = (): boolean => state === "stopped";

  async function load(): Promise<F> {
    state = "starting";
    try {
      const loaded = await importFunction<F>(place);
      if (!isStopped()) [current, state] = [loaded, "running"];
      return loaded;
    } catch (error) {
      if (!isStopped()) state = "failed";
      throw error;
    } finally {
      loading = undefined;
    }
  }

  return {
    get() {
      if (current !== undefined) return current;
      if (isStopped()) throw new HookError("HL_EXTENSION_STOPPED", `Hook "${place.name}" has been stopped.`, { failure: "disabled" });
      loading ??= load();
      return loading;
    },
    health: () => ({ state }),
    stop() {
      [current, state] = [undefined, "stopped"];
    },
  };
}
