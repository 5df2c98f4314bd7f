import type { z } from "zod";
import type { KeyPath } from "../positions/key-positions.js";
import type { Finding } from "../problem.js";
import { explain } from "./explain.js";

export interface Read<T> {
  /** Missing if the table cannot be used. */
  readonly value: T | undefined;
  readonly findings: readonly Finding[];
  /** Possible errors; the value is used. */
  readonly warnings?: readonly Finding[];
}

/** Reads a table that is valid only as a whole: an entry of a list. */
export function readTable<S extends z.ZodType>(schema: S, table: unknown, path: KeyPath): Read<z.output<S>> {
  const result = schema.safeParse(table);
  if (result.success) return { value: result.data, findings: [] };
  return { value: undefined, findings: below(path, explain(schema, table, result.error.issues)) };
}

/** Reads a table whose keys are independent: an invalid one is left out. */
export function readLoosely<S extends z.ZodType>(schema: S, table: unknown, path: KeyPath): Read<z.output<S>> {
  if (!isTable(table)) {
    const name = String(path.at(-1));
    return { value: schema.parse({}), findings: [{ path, message: `"${name}" must be one table: write [${name}].` }] };
  }
  const result = schema.safeParse(table);
  if (result.success) return { value: result.data, findings: [] };
  return { value: withoutFaults(schema, table), findings: below(path, explain(schema, table, result.error.issues)) };
}

/** What is left of a table when no key is wrong: a key that needs one that was left out is left out, too. */
function withoutFaults<S extends z.ZodType>(schema: S, table: { readonly [key: string]: unknown }): z.output<S> {
  const result = schema.safeParse(table);
  if (result.success) return result.data;
  const bad = new Set(explain(schema, table, result.error.issues).map((finding) => finding.path[0]));
  const good = Object.entries(table).filter(([key]) => !bad.has(key));
  // A fault can name a key that is missing. Then nothing says which of the others would be right without it.
  return good.length < Object.keys(table).length ? withoutFaults(schema, Object.fromEntries(good)) : schema.parse({});
}

export function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function below(path: KeyPath, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, path: [...path, ...finding.path] }));
}
