import { dirname } from "node:path";
import type { z } from "zod";
import { findAnswerFaults } from "../../rules/answers.js";
import { findAfterFaults } from "../../rules/state/state-condition.js";
import type { Config, RuleConfig } from "../config.js";
import { resolvePath } from "../config-path.js";
import type { FindPosition, KeyPath } from "../positions/key-positions.js";
import { type Finding, writePath } from "../problem.js";
import { brokenGuard } from "./broken-guard.js";
import { unknownKey } from "./explain.js";
import { readHook } from "./hook-schema.js";
import { readNotify } from "./read-notify.js";
import { readSink } from "./read-sink.js";
import { isTable, type Read, readLoosely } from "./read-table.js";
import { readRule } from "./rule-schema.js";
import { tableSchemas } from "./table-schemas.js";

export interface Checked {
  readonly config: Config;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
}

type Document = { readonly [key: string]: unknown };

/** A file of more rules takes the hub seconds to adopt. */
const MAX_RULES = 2_000;

/** Checks a parsed file, one entry a step. Invalid parts are left out and reported; the rest works. */
export function* checkConfig(document: Document, file: string, find: FindPosition): Generator<void, Checked> {
  const folder = dirname(file);
  const tables = Object.keys(tableSchemas).concat("rule", "sink", "hook", "notify");
  const unknown = Object.keys(document).filter((key) => !tables.includes(key));
  const hub = readLoosely(tableSchemas.hub, document.hub ?? {}, ["hub"]);
  const redact = readLoosely(tableSchemas.redact, document.redact ?? {}, ["redact"]);
  const retention = readLoosely(tableSchemas.retention, document.retention ?? {}, ["retention"]);
  const policy = readLoosely(tableSchemas.policy, document.policy ?? {}, ["policy"]);
  const fleet = readLoosely(tableSchemas.fleet, document.fleet ?? {}, ["fleet"]);
  const prices = readLoosely(tableSchemas.prices, document.prices ?? {}, ["prices"]);
  const mcp = readLoosely(tableSchemas.mcp, document.mcp ?? {}, ["mcp"]);
  const paths = readLoosely(tableSchemas.paths, document.paths ?? {}, ["paths"]);
  const sets = { ...paths.value, ...Object.fromEntries(paths.findings.map(({ path: [, name = ""] }) => [name, "wrong" as const])) };
  const context = { folder, redact: redact.value?.paths ?? [] };
  const sinks = yield* readList(document, "sink", (table, path) => readSink(table, path, context));
  const notify = yield* readList(document, "notify", (table, path) => readNotify(table, path, context));
  const hooks = yield* readList(document, "hook", (table, path) => withPlace(readHook(table, path, folder), file, find(path).line));
  const rules = withoutLooseEnds(
    yield* readList(document, "rule", (table, path) => withPlace(readRule(table, path, sets), file, find(path).line)),
    document,
  );
  const isSafe = redact.findings.length === 0;
  const shy = isSafe ? sinks : withholdSinks(sinks);
  const { data, askTimeout: askTimeoutMs, ...rest } = hub.value ?? {};
  const placeOf = (path: KeyPath) => ({ file, line: find(path).line, entry: writePath(path) });
  const config: Config = {
    hub: { ...defined({ ...rest, askTimeoutMs }), ...(data !== undefined && { data: resolvePath(folder, data) }) },
    sinks: shy.value ?? [],
    notify: isSafe ? (notify.value ?? []) : [],
    hooks: hooks.value ?? [],
    rules: rules.value ?? [],
    broken: [
      ...misnamed(document, unknown).flatMap(([kind, table, key]) => brokenGuard(kind, table, placeOf([key]))),
      ...rules.dropped.flatMap(([table, path]) => brokenGuard("rule", table, placeOf(path))),
      ...hooks.dropped.flatMap(([table, path]) => brokenGuard("hook", table, placeOf(path))),
    ],
    redact: { paths: context.redact },
    fleet: defined(fleet.value ?? {}),
    policy: policyOf(policy.value ?? {}, folder),
    prices: Object.entries(prices.value ?? {}).map(([model, price]) => ({ model, ...defined(price) })),
    mcp: defined(mcp.value ?? {}),
    retention: defined({ maxAgeMs: retention.value?.maxAge, maxBytes: retention.value?.maxBytes }),
  };
  const findings = [hub, redact, retention, policy, fleet, paths, prices, mcp, shy, notify, hooks, rules].flatMap((read) => read.findings);
  return { config, findings: [...unknown.map((key) => unknownKey([], key, tables)), ...findings], warnings: rules.warnings ?? [] };
}

function policyOf({ key: keys, maxAge: maxAgeMs, from, ...rest }: z.output<typeof tableSchemas.policy>, folder: string): Config["policy"] {
  const place = from === undefined || /^https?:/i.test(from) ? from : resolvePath(folder, from);
  return defined({ ...rest, from: place, keys, maxAgeMs });
}

type ReadList<T> = Read<T[]> & { readonly dropped: readonly (readonly [table: Document, path: KeyPath])[] };

/** Refuses rules whose `after` or `answers` names no rule of the file that can be used. Then those that come after them can not be used either. */
function withoutLooseEnds(read: ReadList<RuleConfig>, document: Document): ReadList<RuleConfig> {
  const rules = read.value ?? [];
  const faults = [
    ...findAfterFaults(rules).map((fault) => ({ ...fault, key: "after" })),
    ...findAnswerFaults(rules).map((fault) => ({ ...fault, key: "answers" })),
  ];
  if (faults.length === 0) return { ...read, warnings: [...(read.warnings ?? []), ...sleeping(rules, document)] };
  const refused = faults.map(({ rule, key, message }) => ({ rule, key, message, path: entryOf(document, rule.name) }));
  return withoutLooseEnds(
    {
      ...read,
      value: rules.filter((rule) => !faults.some((fault) => fault.rule === rule)),
      findings: [...read.findings, ...refused.map(({ path, key, message }) => ({ path: [...path, key], message: `"${key}" ${message}` }))],
      dropped: [...read.dropped, ...refused.map(({ path }) => [tableAt(document, path), path] as const)],
    },
    document,
  );
}

/** A rule that is switched off never matches, so the rules after it never do. */
function sleeping(rules: readonly RuleConfig[], document: Document): Finding[] {
  const off = new Set(rules.filter(({ enabled }) => enabled === false).map(({ name }) => name));
  return rules
    .filter(({ after, enabled }) => after !== undefined && off.has(after) && enabled !== false)
    .map(({ name, after }) => ({
      path: [...entryOf(document, name), "after"],
      message: `"after" names the rule "${after}", which is switched off, so this rule never matches.`,
    }));
}

function entryOf({ rule }: Document, name: string): KeyPath {
  return ["rule", (rule as readonly Document[]).findIndex((table) => table.name === name)];
}

function tableAt({ rule }: Document, [, index]: KeyPath): Document {
  return (rule as readonly Document[])[index as number] as Document;
}

function withPlace<T extends object>(read: Read<T>, file: string, line: number): Read<T & { file: string; line: number }> {
  return { ...read, value: read.value && { ...read.value, file, line } };
}

/** Reads each entry separately, and refuses duplicate names. */
function* readList<T extends { readonly name: string }>(
  document: Document,
  key: string,
  read: (table: unknown, path: KeyPath) => Read<T>,
): Generator<void, ReadList<T>> {
  const list = document[key] ?? [];
  if (!Array.isArray(list) || !list.every(isTable)) {
    const findings = [{ path: [key], message: `"${key}" must be a list of tables: write [[${key}]].` }];
    return { value: [], findings, dropped: (isTable(list) ? [list] : []).map((table) => [table, [key]] as const) };
  }
  const value: T[] = [];
  const names = new Set<string>();
  const findings: Finding[] = [];
  const warnings: Finding[] = [];
  const dropped: [Document, KeyPath][] = [];
  const max = key === "rule" ? MAX_RULES : list.length;
  if (list.length > max) {
    findings.push(tooMany(key, max, list.length));
    // One guard stands in for all of them.
    const events = list.slice(max).flatMap((table) => brokenGuard("rule", table, { file: "" }).flatMap((guard) => guard.events));
    dropped.push([{ name: `${key} ${max + 1} to ${list.length}`, events: [...new Set(events)] }, [key, max]]);
  }
  for (const [index, table] of list.slice(0, max).entries()) {
    const entry = read(table, [key, index]);
    findings.push(...entry.findings);
    warnings.push(...(entry.warnings ?? []));
    if (entry.value === undefined) {
      dropped.push([table, [key, index]]);
      continue;
    }
    if (names.has(entry.value.name)) {
      findings.push(sameName(key, index, entry.value.name));
      dropped.push([table, [key, index]]);
    } else value.push(entry.value);
    names.add(entry.value.name);
    yield;
  }
  return { value, findings, warnings, dropped };
}

/** `[[rules]]` was meant to be `[[rule]]`: its entries still guard. */
function misnamed(document: Document, unknown: readonly string[]): (readonly [kind: "hook" | "rule", table: Document, key: string])[] {
  return unknown.flatMap((key) => {
    const kind = (["rule", "hook"] as const).find((name) => key.toLowerCase().startsWith(name));
    const tables = [document[key]].flat().filter(isTable);
    return kind === undefined ? [] : tables.map((table) => [kind, table, key] as const);
  });
}

function sameName(key: string, index: number, name: string): Finding {
  return { path: [key, index, "name"], message: `Another [[${key}]] already has the name "${name}". Give this one another "name".` };
}

function tooMany(key: string, max: number, count: number): Finding {
  const message = `The file has ${count} [[${key}]] entries, and ${max} is the limit. This one and those after it are left out. Remove some.`;
  return { path: [key, max], message };
}

/** Sending data that should have been hidden cannot be undone; sending it later can. */
function withholdSinks<T>({ value, findings }: Read<T[]>): Read<T[]> {
  const message = "No sink runs until this is fixed: it could show what should be hidden.";
  return { value: [], findings: value?.length === 0 ? findings : [...findings, { path: ["redact"], message }] };
}

function defined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
