import { HookError } from "../catalog/errors.js";
import type { HookEvent } from "./types.js";

/** A handler whose module is loaded at its first fire: `lazy(() => import("./hook.js"), "handle")`. A load that fails is tried again at the next. */
export function lazy<T extends object>(load: () => Promise<T> | T, exportName: string = "handle"): (event: unknown) => never {
  let handler: ((event: HookEvent) => unknown) | undefined;
  let loading: Promise<(event: HookEvent) => unknown> | undefined;
  const resolve = async (): Promise<(event: HookEvent) => unknown> => {
    try {
      const found = (await load())[exportName as keyof T];
      if (typeof found !== "function")
        throw new HookError("HL_LAZY_EXPORT", `The module of a lazy handler exports no function "${exportName}".`);
      handler = found as unknown as (event: HookEvent) => unknown;
      return handler;
    } finally {
      loading = undefined;
    }
  };
  const handle = (event: HookEvent): unknown => {
    if (handler !== undefined) return handler(event);
    loading ??= resolve();
    return loading.then((loaded) => loaded(event));
  };
  return handle as (event: unknown) => never;
}
