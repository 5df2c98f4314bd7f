import { resolve } from "node:path";
import { isPlace } from "../../extensions/trust/place.js";

/** What the connection knows and the payload does not say. A folder that is none, or seen from another, is as good as none. */
export function fillIn(payload: unknown, known: { readonly session?: unknown; readonly cwd?: string | undefined }): unknown {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return payload;
  const { cwd: given } = payload as { readonly cwd?: unknown };
  const cwd = isPlace(given) || known.cwd === undefined ? undefined : fromThere(known.cwd, given);
  const session = Object.hasOwn(payload, "session") ? undefined : known.session;
  if (cwd === undefined && session === undefined) return payload;
  return { ...payload, ...(session !== undefined && { session }), ...(cwd !== undefined && { cwd }) };
}

function fromThere(cwd: string, given: unknown): string {
  const place = typeof given === "string" && !given.includes("\0") ? resolve(cwd, given) : cwd;
  return isPlace(place) ? place : cwd;
}
