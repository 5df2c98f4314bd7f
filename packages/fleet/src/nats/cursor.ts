/** The fleet's word on how far its store has got with a host: the value of the host's key in the bucket `cursor`. */
export interface Cursor {
  /** The id of the host's store. */
  readonly store: string;
  /** The fleet's store has everything up to this position. */
  readonly position: number;
  /** The fleet hub that says so. */
  readonly hub: string;
}

export function cursorText({ store, position, hub }: Cursor): string {
  return JSON.stringify({ store, position, hub });
}

/** `undefined` for something else. */
export function readCursor(data: Uint8Array): Cursor | undefined {
  try {
    const { store, position, hub } = JSON.parse(new TextDecoder().decode(data)) as { readonly [field: string]: unknown };
    if (typeof store !== "string" || !Number.isSafeInteger(position) || typeof hub !== "string") return undefined;
    return { store, position: position as number, hub };
  } catch {
    return undefined;
  }
}
