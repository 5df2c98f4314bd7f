import { MANIFEST_NAME } from "../process/manifest.js";
import { HOOK_FILE } from "./hook-yaml.js";

type IsThere = (name: string) => boolean;

/** In this order: where a folder has several, the first is its handler. */
export const handlerFiles = ["handler.ts", "handler.js", "handler.mjs", "handler.py", "handler.sh"] as const;

/** Every name that could be picked. */
export const pickable: readonly string[] = [MANIFEST_NAME, HOOK_FILE, ...handlerFiles];

/** The one manifest of a folder that is read. Whoever shows a hook and whoever runs it must mean the same files. */
export function pickManifest(isThere: IsThere): typeof MANIFEST_NAME | typeof HOOK_FILE | undefined {
  return ([MANIFEST_NAME, HOOK_FILE] as const).find(isThere);
}

/** What a HOOK.yaml runs; an extension.json names its program itself. */
export function pickHandler(isThere: IsThere): string | undefined {
  return handlerFiles.find(isThere);
}
