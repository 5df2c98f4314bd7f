/** What a host tells of itself. Its own words, except for its name, which is that of its credential. */
export type Presence = { readonly state: "present" | "left"; readonly at: number; readonly [field: string]: unknown };

export function presenceText(facts: { readonly [field: string]: unknown }, state: Presence["state"]): string {
  return JSON.stringify({ ...facts, state, at: Date.now() } satisfies Presence);
}

/** `undefined` for what no host wrote, such as a reply of the server that was sent to the subject. */
export function readPresence(data: Uint8Array | undefined): Presence | undefined {
  try {
    const value = Object(JSON.parse(new TextDecoder().decode(data))) as { readonly [field: string]: unknown };
    const { state, at } = value;
    return (state === "present" || state === "left") && typeof at === "number" && Number.isFinite(at) ? { ...value, state, at } : undefined;
  } catch {
    return undefined;
  }
}
