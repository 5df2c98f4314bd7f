import type { PathFact } from "./facts.js";
import { joinPath } from "./paths.js";
import type { Scope } from "./scope.js";

/** Links to links are followed so often. */
const MAX_LINKS = 8;

/**
 * Where a path leads by links that the same text has made. Undefined if no link is on its way. `isThrough`: the path itself is followed, too, and
 * not only the folders before it: `rm x` deletes a link, `rm x/` and `chmod x` what it leads to.
 */
export function followLinks(path: PathFact, { links }: Scope, isThrough: boolean): PathFact | undefined {
  if (links.size === 0) return undefined;
  let found = path.path;
  for (let count = 0; count < MAX_LINKS; count++) {
    const next = followOne(found, links, isThrough);
    if (next === undefined || next === found) break;
    found = next;
  }
  return found === path.path ? undefined : { ...path, path: found };
}

function followOne(path: string, links: Scope["links"], isThrough: boolean): string | undefined {
  for (let end = isThrough ? path.length : path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const target = links.get(path.slice(0, end));
    if (target !== undefined) return joinPath(target, path.slice(end + 1) || ".");
  }
  return undefined;
}
