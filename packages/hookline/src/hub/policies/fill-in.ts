/** What the connection knows and the payload does not say. */
export function fillIn(payload: unknown, known: { readonly session?: unknown; readonly cwd?: string | undefined }): unknown {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return payload;
  const missing = Object.entries(known).filter(([key, value]) => value !== undefined && !Object.hasOwn(payload, key));
  return missing.length === 0 ? payload : { ...payload, ...Object.fromEntries(missing) };
}
