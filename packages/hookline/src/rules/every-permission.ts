import { catalog } from "@hookline/core";
import { families, resolveEvent } from "@hookline/core/internal";

/** Everything that an owner can be granted: what rules, which run no code, and hooks of the user himself may do. */
export const everyPermission: readonly string[] = [
  ...new Set([...Object.values(catalog), ...Object.values(families), resolveEvent("any:event").spec].map(({ permission }) => permission)),
];
