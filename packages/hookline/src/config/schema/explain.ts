import { didYouMean } from "@hookline/core/internal/text";
import type { z } from "zod";
import type { KeyPath } from "../positions/key-positions.js";
import type { Finding } from "../problem.js";
import { secretKeys } from "../secret-keys.js";

type Issue = z.core.$ZodIssue;

/** The errors of a schema in a table, as sentences that name the key and the fix. `base` is the path of the table. */
export function explain(schema: z.ZodType, table: unknown, issues: readonly Issue[], base: KeyPath = []): Finding[] {
  return issues.flatMap((issue) => {
    const path = issue.path as KeyPath;
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(path, key, keysAt(schema, path)));
    const value = valueAt(table, path);
    const message = `${describe([...base, ...path], value, issue)}${meantBy(issue, value)}`;
    return [{ path, message, ...(typeof value === "string" && offsetOf(issue)) }];
  });
}

/** The value of a key that was probably meant. */
function meantBy(issue: Issue, value: unknown): string {
  if (issue.code !== "invalid_value" || typeof value !== "string") return "";
  return meantValue(
    value,
    issue.values.filter((known) => typeof known === "string"),
  );
}

function offsetOf(issue: Issue): { readonly at: number } | undefined {
  const at: unknown = issue.code === "custom" ? issue.params?.at : undefined;
  return typeof at === "number" ? { at } : undefined;
}

/** `"tpye" is not known here. Did you mean "type"?` */
export function unknownKey(path: KeyPath, key: string, known: readonly string[]): Finding {
  const list = known.length === 0 ? "" : ` Known: ${known.join(", ")}.`;
  return { path: [...path, key], message: `${quoteKey(key)} is not known here.${meantKey(key, known)}${list}` };
}

/** Words of other tools that are spelled nothing like ours. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([["reason", "message"]]);

function meantKey(key: string, known: readonly string[]): string {
  const other = OTHER_WORDS.get(key);
  return other !== undefined && known.includes(other) ? ` Did you mean "${other}"?` : didYouMean(key, known);
}

/** A key for the beginning of a message. */
export function quoteKey(key: string): string {
  return key === "" ? "A key without a name" : `"${show(key)}"`;
}

/** A value for a message, short and on one line. */
export function show(value: string): string {
  const plain = JSON.stringify(value).slice(1, -1);
  return plain.length > 40 ? `${plain.slice(0, 40)}…` : plain;
}

function describe(path: KeyPath, value: unknown, issue: Issue): string {
  const { message } = issue;
  const key = path.findLast((each) => typeof each === "string");
  const name = key === undefined ? "The file" : quoteKey(String(key));
  if (value === undefined) return `${name} is missing: it ${message}.`;
  const sentence = `${name} ${message.replace(/\.$/, "")}${isExplained(issue) ? "" : given(path, value)}`;
  return sentence.endsWith("?") ? sentence : `${sentence}.`;
}

function isExplained(issue: Issue): boolean {
  return issue.code === "custom" && issue.params?.isExplained === true;
}

function given(path: KeyPath, value: unknown): string {
  // Messages end up in logs.
  if (path.some((key) => secretKeys.has(String(key)))) return "";
  if (typeof value === "string") return `, not "${show(value)}"`;
  if (typeof value === "symbol") return ", not a date";
  if (typeof value === "object" && value !== null) return `, not ${Array.isArray(value) ? "a list" : "a table"}`;
  return `, not ${String(value)}`;
}

function valueAt(table: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (at, key) => (Object(at) === at && Object.hasOwn(at as object, key) ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    table,
  );
}

/** The keys a table at that path may have. */
function keysAt(schema: z.ZodType, path: KeyPath): string[] {
  let at: z.ZodType | undefined = unwrap(schema);
  for (const key of path) at = unwrap((at as { shape?: { [key: string]: z.ZodType } } | undefined)?.shape?.[key]);
  return Object.keys((at as { shape?: object } | undefined)?.shape ?? {});
}

function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  const inner = (schema?.def as { innerType?: z.ZodType } | undefined)?.innerType;
  return inner === undefined ? schema : unwrap(inner);
}

/** Common wrong words for the values of a key, by the intended value. */
const synonyms: { readonly [value: string]: readonly string[] } = {
  block: [
    "deny",
    "denied",
    "blocked",
    "reject",
    "refuse",
    "forbid",
    "disallow",
    "prohibit",
    "prevent",
    "stop",
    "halt",
    "abort",
    "cancel",
    "veto",
    "no",
  ],
  ask: ["confirm", "prompt", "approval", "review", "escalate", "hold", "question"],
  allow: ["permit", "approve", "accept", "grant", "pass", "yes", "ok", "continue"],
  modify: ["rewrite", "change", "edit", "update", "set", "patch"],
  replace: ["redact", "mask", "hide", "sanitize", "scrub", "censor", "substitute", "transform"],
  inject: ["context", "add", "append", "tell", "message"],
  remind: ["reminder", "remember", "nudge"],
  notify: ["warn", "warning", "log", "alert", "audit", "report", "record", "observe", "monitor", "notification"],
  closed: ["close", "deny", "block", "fail-closed", "fail_closed", "failclosed", "strict"],
  open: ["allow", "pass", "ignore", "continue", "fail-open", "fail_open", "failopen", "lenient"],
  rewrite: ["modify", "transform", "before", "pre"],
  guard: ["check", "decide", "gate", "policy"],
  observe: ["observer", "after", "post", "watch", "log", "notify"],
};

/** ` Did you mean "block"?` for a word that means one of the values or resembles one; otherwise empty. */
function meantValue(given: string, values: readonly string[]): string {
  const word = given.trim().toLowerCase();
  const meant = values.find((value) => value.toLowerCase() === word || synonyms[value]?.includes(word));
  return meant === undefined ? didYouMean(word, values) : ` Did you mean "${meant}"?`;
}
