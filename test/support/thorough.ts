/** `HOOKLINE_THOROUGH=1`: every combination, which takes long. Without it, each value of each kind is tried at least once. */
export const isThorough = process.env.HOOKLINE_THOROUGH === "1";
