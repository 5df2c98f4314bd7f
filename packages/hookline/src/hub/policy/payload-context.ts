import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isFolderPath } from "../../extensions/trust/folder-path.js";

/**
 * What the connection knows and the payload does not say, field by field. An invalid or relative folder is ignored, and
 * so is a session without an id.
 */
export function withContext(payload: unknown, known: { readonly session?: unknown; readonly cwd?: string | undefined }): unknown {
  if (!isRecord(payload)) return payload;
  const cwd = isFolderPath(payload.cwd) || known.cwd === undefined ? undefined : fromThere(known.cwd, payload.cwd);
  const session = isRecord(known.session) ? withKnown(payload.session, known.session) : undefined;
  if (cwd === undefined && session === undefined) return payload;
  return { ...payload, ...(session !== undefined && { session }), ...(cwd !== undefined && { cwd }) };
}

/**
 * A payload without the fields that were filled in for the guards: the process that asked gets back its own fields, and what a guard has
 * made of it.
 */
export function withoutContext(payload: unknown, filledIn: unknown, given: unknown): unknown {
  if (payload === filledIn) return given;
  if (filledIn === given || !isRecord(payload) || !isRecord(filledIn) || !isRecord(given)) return payload;
  const own = Object.entries(payload).flatMap(([key, value]) => {
    if (Object.is(filledIn[key], given[key]) || !isDeepStrictEqual(value, filledIn[key])) return [[key, value]];
    return Object.hasOwn(given, key) ? [[key, given[key]]] : [];
  });
  return Object.fromEntries(own);
}

type Fields = { readonly [key: string]: unknown };

/** Nothing where the payload says it all itself. */
function withKnown(given: unknown, known: Fields): Fields | undefined {
  const said = isRecord(given) ? given : {};
  const missing = Object.entries(known).filter(([key, value]) => said[key] === "" || typeof said[key] !== typeof value);
  return missing.length === 0 && said === given ? undefined : { ...said, ...Object.fromEntries(missing) };
}

function fromThere(cwd: string, given: unknown): string {
  const place = typeof given === "string" && !given.includes("\0") ? resolve(cwd, given) : cwd;
  return isFolderPath(place) ? place : cwd;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
