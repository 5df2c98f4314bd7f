/** Stands where a value was left out of the record. */
export interface Hidden {
  readonly $hookline: "redacted" | "unseen";
}

export function redacted(): Hidden {
  return { $hookline: "redacted" };
}

/** The input of a dispatch that was rewritten before the transcript was attached. */
export function unseen(): Hidden {
  return { $hookline: "unseen" };
}

/** Whether the record hides the value at this place. */
export function isHidden(value: unknown): value is Hidden {
  const kind = markerOf(value);
  return kind === "redacted" || kind === "unseen";
}

/** Which marker a recorded value is, if it is one: also those for what JSON cannot carry. */
export function markerOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "$hookline")) return undefined;
  const kind = (value as { readonly $hookline: unknown }).$hookline;
  return typeof kind === "string" ? kind : undefined;
}
