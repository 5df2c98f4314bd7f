import { MANIFEST_NAME } from "../process/manifest.js";
import { HOOK_FILE } from "./hook-yaml.js";

type IsThere = (name: string) => boolean;

/** In order of preference: if a folder has several, the first is its handler. */
export const handlerFiles = ["handler.ts", "handler.js", "handler.mjs", "handler.py", "handler.sh"] as const;

/** Every file name that could be chosen. */
export const pickable: readonly string[] = [MANIFEST_NAME, HOOK_FILE, ...handlerFiles];

/** The manifest of a folder. The code that shows a hook and the code that runs it must use the same files. */
export function pickManifest(isThere: IsThere): typeof MANIFEST_NAME | typeof HOOK_FILE | undefined {
  return ([MANIFEST_NAME, HOOK_FILE] as const).find(isThere);
}

/** The handler of a HOOK.yaml. An extension.json names its program itself. */
export function pickHandler(isThere: IsThere): string | undefined {
  return handlerFiles.find(isThere);
}
