/** `HOOKLINE_THOROUGH=1`: every combination, which takes long. Without it, each value of each kind is tried at least once. */
export const isThorough = process.env.HOOKLINE_THOROUGH === "1";

/** One of so many, another one for each row: with fewer rows than that, some are left out everywhere. All of them with `HOOKLINE_THOROUGH=1`. */
export const inTurn = (row: number, at: number, of: number): boolean => isThorough || (row + at) % of === 0;
