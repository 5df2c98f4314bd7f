import { didYouMean } from "@hookline/core/internal/text";
import { badRequest } from "../http/refused.js";
import type { Query, Route } from "./route.js";

const MAX_VALUES = 100;

/** The parameters of a request. Throws 400 for one the route does not know, and for a second one where there is only one. */
export function readQuery({ query: known = {} }: Pick<Route, "query">, search: string): Query {
  const given = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) given.set(name, [...(given.get(name) ?? []), value]);
  const names = Object.keys(known);
  for (const [name, values] of given) {
    const shown = name.slice(0, 64);
    if (!Object.hasOwn(known, name)) throw badRequest(`There is no parameter "${shown}" here.${didYouMean(name, names)}`, listOf(names));
    if (values.length > (known[name]?.isRepeatable ? MAX_VALUES : 1)) throw badRequest(`The parameter "${shown}" is given too often.`);
    if (values.includes("")) throw badRequest(`The parameter "${shown}" is empty.`);
  }
  const missing = names.find((name) => known[name]?.isRequired && !given.has(name));
  if (missing !== undefined) throw badRequest(`The parameter "${missing}" is missing.`);
  return given;
}

/** A whole number within bounds, if it is given. */
export function readCount(query: Query, name: string, { min, max }: { readonly min: number; readonly max: number }): number | undefined {
  const text = query.get(name)?.[0];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= min && value <= max) return value;
  throw badRequest(`The parameter "${name}" must be a whole number from ${min} to ${max}.`);
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "This route takes no parameters." : `It takes: ${names.join(", ")}.`;
}
