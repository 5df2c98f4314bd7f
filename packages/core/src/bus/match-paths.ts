import { HookError } from "../catalog/errors.js";
import { checkPath } from "../catalog/payload-paths.js";
import { excerpt } from "../match/bad-match.js";
import { type PathUse, pathsIn } from "../match/compile.js";
import type { BusCore } from "./core.js";
import type { HandlerOptions } from "./types.js";

/** Refuses a match whose path no payload has: it would never fire. One that nobody can check is reported. */
export function checkMatchPaths(core: BusCore, event: string, options: HandlerOptions): void {
  const { match, tool, name, matchEvents } = options;
  for (const use of pathsIn({ match, tool })) {
    const fault = checkPath(use.path, [event, ...(matchEvents ?? [])]);
    if (fault === undefined || (fault.severity === "warning" && matchEvents !== undefined)) continue;
    const place = use.place;
    const message = `on("${event}"): ${describeUse(use)}${fault.message}${place === undefined ? "" : excerpt(place)}`;
    const error = new HookError("HL_UNKNOWN_PATH", message, { event, handler: name, position: place?.at });
    if (fault.severity === "error") throw error;
    core.report(error);
  }
}

/** Who reads a path that stands nowhere. */
function describeUse({ key }: PathUse): string {
  return key === undefined ? "" : `"${key}" looks at the tool. `;
}
