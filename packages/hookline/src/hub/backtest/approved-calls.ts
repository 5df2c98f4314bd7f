import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Rule } from "../../rules/rule.js";
import { hasState } from "../../rules/state/state-condition.js";
import { hashOf } from "../approvals/hash-of.js";
import { HUB_APP } from "../ingest/own-source.js";
import { readEnvelope } from "../ingest/read-envelope.js";
import { hiddenIn } from "./recorded-call.js";

/** A question of one rule that a person answered. */
export interface AnsweredQuestion {
  readonly rule: Rule;
  readonly event: string;
  readonly verdict: "allow" | "deny";
  readonly at: number;
  /** The person's name. */
  readonly by: string;
  readonly payload: Payload;
  /** The record hides or cuts something of the call. */
  readonly isHidden: boolean;
}

interface Payload {
  readonly tool: { readonly name: string; readonly runtimeName?: string; readonly input: { readonly [field: string]: unknown } };
  readonly cwd?: string;
  readonly agent?: { readonly platform?: string };
}

/** A rule from approvals, which answers another rule's questions. */
export interface Candidate {
  readonly rule: Rule;
  readonly asking: Rule;
  readonly approved: readonly AnsweredQuestion[];
}

const MAX_QUESTIONS = 50_000;

/** The questions of single rules that people answered, the oldest first. Only what the hub itself has recorded counts as an answer. */
export function readAnswered(database: DatabaseSync, rules: readonly Rule[], since: number): AnsweredQuestion[] {
  const query = database.prepare(
    `SELECT body FROM events WHERE event IN ('approval:requested', 'permission:replied') AND at >= ? AND host IS NULL
     ORDER BY place DESC LIMIT ${MAX_QUESTIONS}`,
  );
  const asked = new Map<string, Fields[]>();
  const answered: AnsweredQuestion[] = [];
  for (const { body } of (query.all(since) as { readonly body: string }[]).reverse()) {
    const { event, source, at, payload } = readEnvelope(body);
    const approval = fieldsOf(fieldsOf(payload).approval);
    const { id } = approval;
    if (typeof id !== "string") continue;
    if (event === "approval:requested") asked.set(id, [...(asked.get(id) ?? []), approval]);
    else if (source.app === HUB_APP)
      answered.push(
        ...askedFor(asked.get(id) ?? [], approval).flatMap((question) => questionOf(question, approval, Date.parse(at), rules)),
      );
  }
  return answered;
}

type Fields = { readonly [field: string]: unknown };

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/**
 * The question that a reply is for. Any process can record a question under any id, so only the call whose hash is in the hub's reply was
 * approved, and only if one question has it. A denial may count for too many: then less is suggested.
 */
function askedFor(questions: readonly Fields[], reply: Fields): readonly Fields[] {
  if (reply.verdict === "deny") return questions;
  const same = questions.filter(({ event, payload }) => typeof event === "string" && hashOf(event, payload) === reply.hash);
  return same.length === 1 ? same : [];
}

function questionOf(asked: Fields, reply: Fields, at: number, rules: readonly Rule[]): AnsweredQuestion[] {
  // A call that was rewritten, edited or allowed by an earlier answer is not what a person approved.
  if (asked.asks !== undefined || asked.asked !== undefined || reply.isEdited === true) return [];
  const [actor, person] = [fieldsOf(asked.actor), fieldsOf(reply.actor)];
  if (actor.kind !== "rule" || actor.owner !== "rules" || person.kind !== "person") return [];
  const rule = rules.find(({ name }) => name === actor.name);
  const { payload, event } = asked;
  if (rule === undefined || typeof event !== "string" || !isCall(payload)) return [];
  if (reply.verdict !== "allow" && reply.verdict !== "deny") return [];
  const isHidden = hiddenIn(payload).length > 0;
  return [{ rule, event, verdict: reply.verdict, at, by: String(person.name ?? "a person"), payload, isHidden }];
}

function isCall(payload: unknown): payload is Payload {
  const { tool, cwd } = fieldsOf(payload);
  const { name, input } = fieldsOf(tool);
  const isInput = typeof input === "object" && input !== null && !Array.isArray(input);
  return typeof name === "string" && isInput && (cwd === undefined || typeof cwd === "string");
}

/** Whether approvals may become a rule that answers this one: not for what guards secrets, agents' settings and Hookline itself. */
export function canBeAnswered(rule: Rule, protectedNames: ReadonlySet<string>): boolean {
  const { do: action, enabled, mode, secret, command, path, events, name } = rule;
  if (action !== "ask" || enabled === false || mode === "shadow" || secret !== undefined || hasState(rule)) return false;
  if (events.some((event) => event.includes("*")) || protectedNames.has(name)) return false;
  return !/"!?@(?:secrets|agents|hookline)\b/.test(JSON.stringify([command, path]));
}

/** The narrowest rules that cover calls which were approved at least `minimum` times, and none that was denied since. */
export function findCandidates(answered: readonly AnsweredQuestion[], minimum: number): Candidate[] {
  const groups = new Map<string, AnsweredQuestion[]>();
  for (const question of answered) {
    const key = groupOf(question);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    if (question.verdict === "allow") group.push(question);
    // A denied call of the same program: what was approved before it does not count any more.
    else
      groups.set(
        key,
        group.filter((one) => programOf(one) !== programOf(question)),
      );
  }
  return [...groups.values()].flatMap((group) =>
    candidatesIn(
      group.filter(({ isHidden }) => !isHidden),
      minimum,
    ),
  );
}

/** Texts for people, which change nothing about a command. */
const NOTES = new Set(["description"]);

function commandOf({ payload: { tool } }: AnsweredQuestion): string | undefined {
  return typeof tool.input.command === "string" ? tool.input.command : undefined;
}

function programOf(question: AnsweredQuestion): string {
  return commandOf(question)?.trimStart().split(/\s/, 1)[0] ?? "";
}

/** Calls that differ in nothing but the command have the same key; of a tool without a command, equal calls. */
function groupOf(question: AnsweredQuestion): string {
  const { rule, event, payload } = question;
  const { tool, cwd, agent } = payload;
  const others = Object.entries(tool.input).filter(([key]) => commandOf(question) === undefined || (key !== "command" && !NOTES.has(key)));
  return JSON.stringify([rule.name, event, tool.name, tool.runtimeName, cwd, agent?.platform, others.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

interface Cluster {
  readonly approved: readonly AnsweredQuestion[];
  /** The condition on the command. */
  readonly condition?: string;
}

function candidatesIn(group: readonly AnsweredQuestion[], minimum: number): Candidate[] {
  const [first] = group;
  if (first === undefined) return [];
  const clusters = commandOf(first) === undefined ? [{ approved: group }] : commandClusters(group);
  const wide = clusters.filter(({ approved }) => approved.length >= minimum).sort((a, b) => b.approved.length - a.approved.length);
  const taken: Cluster[] = [];
  for (const cluster of wide)
    if (!taken.some(({ approved }) => cluster.approved.every((question) => approved.includes(question)))) taken.push(cluster);
  return taken.flatMap((cluster) => candidateOf(cluster) ?? []);
}

/** Exactly one command, before commands that differ in one word. */
function commandClusters(group: readonly AnsweredQuestion[]): Cluster[] {
  const exact = groupBy(
    group.filter((question) => isFixed(commandOf(question) ?? "")),
    (question) => commandOf(question) ?? "",
  );
  const clusters: Cluster[] = [...exact].map(([text, approved]) => ({ approved, condition: `tool.input.command == ${quoted(text)}` }));
  const worded = group.flatMap((question) => {
    const words = wordsOf(commandOf(question) ?? "");
    return words === undefined ? [] : [{ question, words }];
  });
  const most = Math.max(0, ...worded.map(({ words }) => words.length));
  for (let place = 1; place < most; place++) {
    const alike = groupBy(
      worded.filter(({ words }) => words.length > place),
      ({ words }) => JSON.stringify(words.map((word, index) => (index === place ? null : word))),
    );
    for (const ones of alike.values()) clusters.push(...varying(ones, place));
  }
  return clusters;
}

/** What a shell would fill in is not part of the text, so the same text may do something else the next time. */
function isFixed(command: string): boolean {
  return /^[^$`*?[\]{}!\\\p{C}]+$/u.test(command);
}

const SIMPLE = /^[A-Za-z0-9._/:=@,+%-]+$/;

function wordsOf(command: string): readonly string[] | undefined {
  const words = command.split(" ");
  return words.every((word) => SIMPLE.test(word)) ? words : undefined;
}

interface Worded {
  readonly question: AnsweredQuestion;
  readonly words: readonly string[];
}

const MAX_LISTED = 10;
const MIN_DIFFERENT = 5;

/** Words that were approved twice are listed. If most were approved once, the smallest pattern that has them all, or a list of them. */
function varying(ones: readonly Worded[], place: number): Cluster[] {
  const byWord = groupBy(ones, ({ words }) => words[place] ?? "");
  if (byWord.size < 2) return [];
  const [{ words = [] } = {}] = ones;
  const around = (middle: string): string =>
    `tool.input.command =~ '^${words.map((word, index) => (index === place ? middle : literal(word))).join(" ")}$'`;
  const listOf = (listed: readonly (readonly [string, readonly Worded[]])[]): Cluster => {
    const named = new Set(listed.map(([word]) => word));
    return {
      approved: ones.filter((one) => named.has(one.words[place] ?? "")).map(({ question }) => question),
      condition: around(`(${listed.map(([word]) => literal(word)).join("|")})`),
    };
  };
  const often = [...byWord].sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_LISTED);
  const repeated = often.filter(([, same]) => same.length > 1);
  const clusters = repeated.length < 2 ? [] : [listOf(repeated)];
  // The first word after a program says what it does.
  const isOpen = byWord.size >= MIN_DIFFERENT && byWord.size * 2 >= ones.length && place > 1;
  if (!isOpen) return clusters;
  const pattern = patternOf([...byWord.keys()]);
  const open = pattern === undefined ? listOf(often) : { approved: ones.map(({ question }) => question), condition: around(pattern) };
  return [...clusters, open];
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/**
 * A pattern for names and paths with the same number of parts that begin alike or differ in digits alone. It has no option and leads to no
 * folder above. Words with nothing in common have none: it would cover every package, branch, script or action.
 */
function patternOf(words: readonly string[]): string | undefined {
  const split = words.map((word) => word.split("/"));
  const [first = []] = split;
  if (!split.every((parts) => parts.length === first.length && parts.every((part) => SEGMENT.test(part)))) return undefined;
  const patterns = first.map((_, index) => partPattern(split.map((one) => one[index] ?? "")));
  return patterns[0]?.startsWith(ANY_NAME) ? undefined : patterns.join("/");
}

const ANY_NAME = "[A-Za-z0-9_][A-Za-z0-9._-]*";

function partPattern(parts: readonly string[]): string {
  if (new Set(parts).size === 1) return literal(parts[0] ?? "");
  const [, stem = ""] = /^(.*?)[0-9]+$/.exec(parts[0] ?? "") ?? [];
  if (parts.every((part) => part.startsWith(stem) && /^[0-9]+$/.test(part.slice(stem.length)))) return `${literal(stem)}[0-9]+`;
  const shared = sharedStart(parts);
  return shared === "" ? ANY_NAME : `${literal(shared)}[A-Za-z0-9_-][A-Za-z0-9._-]*`;
}

/** Up to a sign between words, so that a name is not cut in the middle. */
function sharedStart(texts: readonly string[]): string {
  const [first = ""] = texts;
  let length = 0;
  while (length < first.length && texts.every((text) => text[length] === first[length])) length++;
  return /^.*[._-]/.exec(first.slice(0, length))?.[0] ?? "";
}

function literal(word: string): string {
  return word.replace(/[.+]/g, "[$&]");
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

function candidateOf({ approved, condition }: Cluster): Candidate | undefined {
  const newest = approved.at(-1);
  if (newest === undefined) return undefined;
  const { rule: asking, event, payload } = newest;
  const { tool, cwd = "", agent } = payload;
  const notes = condition === undefined ? [] : [...NOTES];
  const others = Object.entries(tool.input).filter(([key]) => condition === undefined || (key !== "command" && !notes.includes(key)));
  // A name that is a pattern, or that cannot be written as a path, would say something else.
  if (/[*?[\]{}|!\\\p{C}]/u.test(tool.name) || others.some(([key]) => !/^\w+$/.test(key))) return undefined;
  const texts = others.map(([key, value]) => [`tool.input.${key}`, typeof value === "string" ? value : JSON.stringify(value)] as const);
  const pinned = [...texts, ["cwd", cwd] as const, ["agent.platform", agent?.platform ?? ""] as const];
  if (pinned.some(([, text]) => text === undefined || text.length > MAX_TEXT || /\p{C}/u.test(text))) return undefined;
  const match = [...(condition === undefined ? [] : [condition]), ...pinned.map(([path, text]) => `${path} == ${quoted(text)}`)].join(
    " && ",
  );
  const fields = [...new Set([...Object.keys(tool.input), ...notes])].sort();
  const hash = createHash("sha256")
    .update(JSON.stringify([asking.name, event, tool.name, fields, match]))
    .digest("hex")
    .slice(0, 8);
  const name = `approved-${asking.name.replace(/[^A-Za-z0-9]+/g, "-")}-${hash}`;
  return { rule: { name, events: [event], do: "allow", answers: asking.name, tool: tool.name, fields, match }, asking, approved };
}

const MAX_TEXT = 2_000;

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
