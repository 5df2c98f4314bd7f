import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findRootFault, rootFaultOf } from "@hookline/core/internal/machine";

/** Why a user other than root could change this file or anything in this folder; `undefined` if none can. `below`: see `findRootFault`. */
export function findRootTreeFault(path: string, below?: string): string | undefined {
  return findRootFault(path, below) ?? faultBelow(path);
}

function faultBelow(path: string): string | undefined {
  if (!lstatSync(path).isDirectory()) return undefined;
  for (const name of readdirSync(path)) {
    const inner = join(path, name);
    const fault = rootFaultOf(inner, lstatSync(inner)) ?? faultBelow(inner);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
