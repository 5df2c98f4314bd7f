import { allSinks } from "@hookline/core/internal/sinks";
import { allTargets } from "../notify/all-targets.js";

/** The options of sinks and notifications whose values may be secret: what shows a configuration shows none of them. */
export const secretKeys: ReadonlySet<string> = new Set(
  [...allSinks, ...allTargets].flatMap(({ options }) =>
    Object.entries(options).flatMap(([key, { isSecret }]) => (isSecret === true ? [key] : [])),
  ),
);
