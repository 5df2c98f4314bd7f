import { catalog, families, resolveEvent } from "@hookline/core";

/** What a hook of the user's own may do that names nothing itself: he could run it by hand as well. */
export const everyPermission: readonly string[] = [
  ...new Set([...Object.values(catalog), ...Object.values(families), resolveEvent("any:event").spec].map(({ permission }) => permission)),
];
