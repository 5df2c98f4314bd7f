import { HookError } from "../catalog/errors.js";
import { LazyPart } from "./lazy-part.js";
import type { HookEvent } from "./types.js";

/** A handler whose module is loaded at its first fire: `lazy(() => import("./hook.js"), "handle")`. A load that fails is tried again at the next. */
export function lazy<T extends object>(load: () => Promise<T> | T, exportName: string = "handle"): (event: unknown) => never {
  const handler = new LazyPart(async () => {
    const found = (await load())[exportName as keyof T];
    if (typeof found === "function") return found as unknown as (event: HookEvent) => unknown;
    throw new HookError("HL_LAZY_EXPORT", `The module of a lazy handler exports no function "${exportName}".`);
  });
  const handle = (event: HookEvent): unknown =>
    handler.loaded === undefined ? handler.load().then((loaded) => loaded(event)) : handler.loaded(event);
  return handle as (event: unknown) => never;
}
