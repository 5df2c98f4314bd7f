import { didYouMean } from "@hookline/core/internal/text";
import { z } from "zod";
import { badRequest, type Refused } from "./refused.js";
import { readObject, readText } from "./request-body.js";

const MAX_VALUES = 100;

/** Reads the query of a URL. Throws 400 for parameters that are unknown, missing, empty, malformed or repeated without permission. */
export function readQuery<S extends z.ZodObject>(schema: S, search: string): z.output<S> {
  const given = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) given.set(name, [...(given.get(name) ?? []), value]);
  const names = Object.keys(schema.shape);
  for (const [name, values] of given) {
    const shown = name.slice(0, 64);
    if (!Object.hasOwn(schema.shape, name))
      throw badRequest(`There is no parameter "${shown}" here.${didYouMean(name, names)}`, listOf(names));
    if (values.length > (isList(schema.shape[name]) ? MAX_VALUES : 1)) throw badRequest(`The parameter "${shown}" is given too often.`);
    if (values.includes("")) throw badRequest(`The parameter "${shown}" is empty.`);
  }
  const values = [...given].map(([name, texts]) => [name, parameterOf(schema.shape[name], texts)]);
  return check(schema, Object.fromEntries(values), (path, what) => `The parameter "${path}" ${what}`);
}

/** Reads the JSON of a body, which may be left out if it has no fields. Throws 400 for fields that are unknown, missing or malformed. */
export function readJson<S extends z.ZodType>(schema: S, bytes: Uint8Array): z.output<S> {
  const isLeftOut = bytes.length === 0 && schema instanceof z.ZodObject && Object.keys(schema.shape).length === 0;
  const given = isLeftOut ? {} : readObject(readText(bytes), "The body");
  return check(schema, given, (path, what) => `"${path}" ${what}`);
}

/** Parameters are text. A number is written in decimal digits. */
function parameterOf(schema: unknown, texts: readonly string[]): unknown {
  if (isList(schema)) return texts;
  const [text = ""] = texts;
  return typeOf(schema) === "number" && /^\d{1,16}$/.test(text) ? Number(text) : text;
}

function isList(schema: unknown): boolean {
  return typeOf(schema) === "array";
}

function typeOf(schema: unknown): string {
  const { type, innerType } = (schema as z.core.$ZodType)._zod.def as { readonly type: string; readonly innerType?: z.core.$ZodType };
  return innerType === undefined ? type : typeOf(innerType);
}

function check<S extends z.ZodType>(schema: S, value: unknown, say: (path: string, what: string) => string): z.output<S> {
  const result = schema.safeParse(value, { error: messageOf });
  if (result.success) return result.data;
  throw refusalOf(schema, result.error.issues[0] as z.core.$ZodIssue, say);
}

function refusalOf(schema: z.ZodType, issue: z.core.$ZodIssue, say: (path: string, what: string) => string): Refused {
  const path = issue.path.join(".");
  if (issue.code !== "unrecognized_keys") return badRequest(say(path, issue.message));
  // A slip in the name of an option must not be taken for a request without that option.
  const known = Object.keys(shapeAt(schema, issue.path));
  const [key = ""] = issue.keys;
  const name = path === "" ? key : `${path}.${key}`;
  return badRequest(
    `"${name.slice(0, 64)}" is not known here.${didYouMean(key, known)}`,
    known.length === 0 ? "This body has no fields." : `Known: ${known.join(", ")}.`,
  );
}

function shapeAt(schema: z.ZodType, path: readonly PropertyKey[]): object {
  let at: unknown = schema;
  for (const key of path) at = (shapeOf(at) as { readonly [key: PropertyKey]: unknown })[key];
  return shapeOf(at);
}

function shapeOf(schema: unknown): object {
  const { shape, innerType } = (schema as z.core.$ZodType)._zod.def as { readonly shape?: object; readonly innerType?: unknown };
  return innerType === undefined ? (shape ?? {}) : shapeOf(innerType);
}

/** The end of a sentence that begins with the name of the field. A schema may bring its own. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_value") return `must be ${choiceOf(issue.values as readonly unknown[])}.`;
  if (issue.code === "invalid_type" && issue.input === undefined) return "is missing.";
  if (issue.code === "invalid_type") return `must be ${WANTED[issue.expected as string] ?? "something else"}.`;
  if (issue.code === "too_big") return `must have at most ${issue.maximum} characters.`;
  if (issue.code === "too_small") return "must not be empty.";
  return "is malformed.";
}

const WANTED: { readonly [type: string]: string } = {
  string: "text",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
};

function choiceOf(values: readonly unknown[]): string {
  return values.length > 2 ? `one of ${values.join(", ")}` : values.map((value) => JSON.stringify(value)).join(" or ");
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "This route takes no parameters." : `It takes: ${names.join(", ")}.`;
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): z.ZodInt {
  const error = `must be a whole number from ${min} to ${max}.`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}
