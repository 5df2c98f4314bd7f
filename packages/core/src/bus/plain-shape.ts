import {
  badStates,
  contents,
  reasonKeys,
  remarks,
  rewriteWords,
  type Statement,
  statements,
  type Wording,
  wordContents,
  wordings,
} from "../catalog/wordings.js";
import { closest, thisInstead } from "../text/did-you-mean.js";
import { type Answer, addReminder, addText, invalidate, setRewrite, setVerdict } from "./answer.js";
import { shown, typeName } from "./describe-error.js";

/** The shapes that are ours. In a transform they alone are read: a value may have any other key. */
const SHAPE_KEYS = ["decision", "block", "deny", "modify", "args", "result", "inject", "reminder", "then", "effects"];

const byBareKey: ReadonlyMap<string, Wording> = new Map(Object.entries(wordings).map(([key, wording]) => [bare(key), wording]));

/** Whether an object is one of the plain shapes and nothing else: in a transform it would otherwise be a value. */
export function isPlainShape(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return (
    keys.length > 0 && keys.some((key) => SHAPE_KEYS.includes(key)) && keys.every((key) => key === "reason" || SHAPE_KEYS.includes(key))
  );
}

/** Reads an object that a handler returned into its answer: what it says in our words or in those of the runtimes we know. `readPart` reads an answer within it. */
export function readShape(shape: object, answer: Answer, readPart: (part: unknown) => void): void {
  const seen = look(shape, 0);
  if (typeof valueIn(seen, "then") === "function") return invalidate(answer, "a promise inside an answer is not waited for");
  const isKnown = readContents(seen, answer, readPart);
  const said = readStatements(seen, answer);
  conclude(said, seen, answer);
  if (answer.verdict !== "block") refuseStrayRewrite(said, seen, answer);
  if (answer.verdict === undefined || answer.verdict === "allow") {
    refuseUnheard(seen, answer);
    // What looks like a verdict was meant as one. Beside one that is, a harmless word may look a little like it.
    const misspelled = findMisspelled(said.size > 0 ? seen.filter(isSuspicious) : seen);
    if (misspelled !== undefined) return invalidate(answer, `it has a key "${misspelled.key}".${thisInstead(misspelled.meant)}`);
    if (said.size > 0 || isKnown || answer.rewrite !== undefined) answer.doubt ??= doubtIn(seen);
  }
  // `{}` says nothing; anything else without a known key is a mistake.
  if (said.size > 0 || answer.invalid !== undefined || isEmpty(shape)) return;
  if (isKnown) return;
  const label = seen.find(([key]) => wordingOf(key)?.isAttempt === "alone");
  if (label !== undefined) notAVerdict(label, answer);
  else answer.strange.push(describeShape(shape));
}

/** The key by which a document says a verdict, or tries to; keys in `except` are not looked at. */
export function findVerdictKey(document: object, except: readonly string[] = []): string | undefined {
  const entries = Object.entries(document).filter(([key]) => !except.includes(key));
  const said = entries.find(([key, value]) => {
    const wording = wordingOf(key);
    return wording !== undefined && (wording.isAttempt !== "never" || readWording(wording, value) !== undefined);
  });
  return said?.[0] ?? findMisspelled(entries)?.key;
}

/** What a document says beside a verdict or a rewrite that makes its yes a question. `isAnswer`: it is known to say something. */
export function findDoubt(document: object, isAnswer = false): string | undefined {
  const seen = look(document, 0);
  const isSaid =
    isAnswer ||
    seen.some(([key, value]) => {
      const wording = wordingOf(key);
      return (wording !== undefined && readWording(wording, value) !== undefined) || Object.hasOwn(contents, key) || isRewriteWord(key);
    });
  return isSaid ? doubtIn(seen) : undefined;
}

/** The key by which a document says that another call is to run; keys in `except` are not looked at. */
export function findRewriteKey(document: object, except: readonly string[] = []): string | undefined {
  return Object.entries(document).find(([key, value]) => value !== undefined && !except.includes(key) && isRewriteWord(key))?.[0];
}

function isRewriteWord(key: string): boolean {
  const word = bare(key);
  return rewriteWords.includes(word) || (word.length >= 9 && closest(word, LONG_WORDS, 2) !== undefined);
}

/**
 * Where a document says no, or asks, as a path: by any key that says a verdict, also within other objects. What it holds for the call to run
 * with is not looked into, because a tool's input may have such words.
 */
export function findHiddenVerdict(document: object): string | undefined {
  return hiddenVerdictIn(document, { depth: 0, seen: new Set() });
}

const MAX_HIDDEN_DEPTH = 32;
const MAX_HIDDEN_OBJECTS = 1_000;

/** What is too deep or too large to be looked through may say no as well. */
function hiddenVerdictIn(document: object, { depth, seen }: { readonly depth: number; readonly seen: Set<object> }): string | undefined {
  for (const [key, value] of Object.entries(document)) {
    if (saysNoOrAsks(key, value)) return key;
    const isData = isRewriteWord(key) || (Object.hasOwn(contents, key) && key !== "result") || key === "value" || key === "reminder";
    if (isData || !isPlain(value) || seen.has(value)) continue;
    if (depth === MAX_HIDDEN_DEPTH || seen.add(value).size > MAX_HIDDEN_OBJECTS) return key;
    const within = hiddenVerdictIn(value, { depth: depth + 1, seen });
    if (within !== undefined) return `${key}.${within}`;
  }
  return undefined;
}

function saysNoOrAsks(key: string, value: unknown): boolean {
  const wording = wordingOf(key) ?? wordingOf(findMisspelled([[key, value]])?.meant ?? "");
  // A text or an object under `review`, `prompt` or `pending` is more likely to be about something else.
  if (wording === undefined || (wording.reads === "hold" && value !== true)) return false;
  const statement = readWording(wording, value);
  return statement === "block" || statement === "refused" || statement === "ask";
}

/** A misspelled key that does not just say yes. */
function isSuspicious(entry: Entry): boolean {
  const [key, value] = entry;
  const { meant = "" } = findMisspelled([entry]) ?? {};
  const wording = wordingOf(meant);
  if (wording === undefined || meant[0] !== key[0]?.toLowerCase()) return false;
  const statement = readWording(wording, value);
  return statement !== "pass" && statement !== "allow";
}

/** A remark that asks for a person, or reports that something has gone wrong. */
function doubtIn(seen: readonly Entry[]): string | undefined {
  const found = seen.find(([key, value]) => isDoubt(bare(key), value, wordingOf(key)));
  return found && `It does not object, but its answer has "${found[0]}": ${shown(found[1])}`;
}

const HARMLESS = /^(no(ne)?|null|false|ok|success|0|)$/i;

function isDoubt(key: string, value: unknown, wording: Wording | undefined): boolean {
  const { failure, flag, success, state } = remarks;
  const isNumber = typeof value === "number" || (typeof value === "string" && /^\d{1,9}$/.test(value));
  const isMany = isNumber && Number(value) > 0;
  if (wording?.reads === "ask" || wording?.reads === "hold") return isMany;
  if (success.test(key))
    return value === false || value === 0 || value === null || (typeof value === "string" && /^(no|false|0)$/i.test(value.trim()));
  if (flag.test(key)) return value === true;
  if (state.test(key))
    return isNumber ? isMany && (key === "exitcode" || Number(value) >= 400) : typeof value === "string" && badStates.test(bare(value));
  if (!failure.test(key)) return false;
  return typeof value === "string" ? !HARMLESS.test(value.trim()) : Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Lists too: `{ results: [{ decision: "deny" }] }`. An object of a class is about something else. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

const LONG_WORDS = rewriteWords.filter((word) => word.length >= 10);

/** A rewrite under an unknown key: if it were ignored, the call would run unchanged. A no needs nothing beside it. */
function refuseStrayRewrite(said: ReadonlySet<Statement>, seen: readonly Entry[], answer: Answer): void {
  const words = [...said].flatMap((statement) => Object.keys((wordContents as Fields)[statement] ?? {}));
  // Another bus says with its decision whether its payload is a new one.
  const known = [...Object.keys(contents), ...words, ...(typeof valueIn(seen, "modified") === "boolean" ? ["payload"] : [])];
  // An outcome that came as JSON has its content under `value`.
  const isOutcome = valueIn(seen, "kind") !== undefined && valueIn(seen, "value") !== undefined && !words.includes("value");
  const stray = findRewriteKey(Object.fromEntries(seen), known) ?? (isOutcome ? "value" : undefined);
  if (stray !== undefined)
    invalidate(answer, `its "${stray}" is not a rewrite here. Say { args: … } for another tool input, { modify: … } for another payload`);
}

/** A deny, or an ask, within an object where it is not expected. */
function refuseUnheard(seen: readonly Entry[], answer: Answer): void {
  // Another bus has heard what the steps of its trail said.
  if (typeof valueIn(seen, "modified") === "boolean") return;
  const others = seen.filter(([key, value]) => !SHAPE_KEYS.includes(key) && isPlain(value));
  const hidden = findHiddenVerdict(Object.fromEntries(others));
  if (hidden !== undefined) invalidate(answer, `it says no, or asks, under "${hidden}", which is not read as a verdict there`);
}

type Entry = readonly [key: string, value: unknown];

/** What an object says, and what an object within it says in its place. Each key is read once: what says another thing at the next look has said the first. */
function look(shape: object, depth: number): Entry[] {
  // In the order in which they are written: reminders and texts keep it.
  const own = Object.keys(shape);
  // Keys that other objects have as well count only if they are own properties: a fetch's Response inherits a `type`.
  const inherited = ANYWHERE.filter((key) => key in shape && !own.includes(key));
  const entries = [...own, ...inherited].map((key): Entry => [key, (shape as Fields)[key]]);
  return entries.flatMap((entry) => {
    const within = mayNest(entry) && depth < MAX_NESTED ? look(entry[1] as object, depth + 1) : [];
    // Nothing in it that we know: it stands as it is, and cannot be read.
    return within.some(([key]) => wordingOf(key) !== undefined || Object.hasOwn(contents, key)) ? within : [entry];
  });
}

type Fields = { readonly [key: string]: unknown };
const ANYWHERE = [...new Set([...SHAPE_KEYS, ...Object.keys(wordings).filter((key) => wordings[key]?.isAttempt === "always")])];
/** `{ hookSpecificOutput: { decision: { behavior } } }` */
const MAX_NESTED = 3;

function mayNest([key, value]: Entry): boolean {
  const wording = wordingOf(key);
  const takesObjects = wording?.reads === "nested" || (wording?.reads === "word" && wording.isAttempt === "always");
  return takesObjects && typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Rewrites and effects. True when there was a key for them, or any other of ours. */
function readContents(seen: readonly Entry[], answer: Answer, readPart: (part: unknown) => void): boolean {
  const reason = reasonIn(seen);
  for (const [key, value] of seen) {
    const content = Object.hasOwn(contents, key) ? contents[key] : undefined;
    if (value === undefined && !(key === "modify" || key === "args" || key === "result")) continue;
    if (content === "inject") for (const text of Array.isArray(value) ? value : [value]) addText(answer, text, false);
    else if (content !== undefined) setRewrite(answer, content, value, reason);
    else if (key === "reminder") addReminder(answer, value, false);
    else if (key === "then") readPart(value);
    else if (key === "effects") readEffects(value, answer, readPart);
  }
  return seen.some(([key]) => Object.hasOwn(contents, key) || SHAPE_KEYS.includes(key));
}

function readEffects(effects: unknown, answer: Answer, readPart: (part: unknown) => void): void {
  if (!Array.isArray(effects)) return invalidate(answer, `"effects" must be a list, not ${typeName(effects)}`);
  for (const effect of effects) readPart(effect);
}

/** What every key says that stands for a verdict. */
function readStatements(seen: readonly Entry[], answer: Answer): Set<Statement> {
  const said = new Set<Statement>();
  for (const entry of seen) {
    const [key, value] = entry;
    const wording = wordingOf(key);
    if (wording === undefined) continue;
    const statement = readWording(wording, value);
    if (statement !== undefined) said.add(statement);
    // `{ block: undefined }` blocks nothing; `{ allowed: undefined }` allows nothing.
    else if (wording.isAttempt === "always" && !(value === undefined && (wording.reads === "no" || wording.reads === "ask")))
      notAVerdict(entry, answer);
  }
  return said;
}

function readWording({ reads, words }: Wording, value: unknown): Statement | undefined {
  if (reads === "nested") return undefined;
  if (reads === "word") return statementOf(value, words);
  if (reads === "yes") return value === true ? "pass" : value === false ? "refused" : undefined;
  if (value === false) return reads === "hold" ? undefined : "pass";
  if (value === true || typeof value === "string") return reads === "no" ? "block" : "ask";
  // `{ ask: { question } }`; an empty list asks nothing.
  return reads !== "no" && isPlain(value) && !(Array.isArray(value) && value.length === 0) ? "ask" : undefined;
}

/** One verdict from everything a shape says. What has no hidden adds nothing; what is not allowed yet may still be asked about. */
function conclude(said: ReadonlySet<Statement>, seen: readonly Entry[], answer: Answer): void {
  const verdicts = new Set([...said].filter((statement) => statement !== "pass" && statement !== "refused"));
  if (said.has("refused") && !verdicts.has("ask")) verdicts.add("block");
  if (verdicts.has("ask")) verdicts.delete("allow");
  const [verdict, other] = verdicts;
  if (other !== undefined) return invalidate(answer, `two verdicts at once: ${verdict} and ${other}`);
  // The decision of another bus: what it has decided on is its payload.
  if (said.size > 0 && valueIn(seen, "modified") === true) setRewrite(answer, "payload", valueIn(seen, "payload"), undefined);
  switch (verdict) {
    case undefined:
      return;
    case "modify":
    case "replace":
    case "inject":
    case "remind":
      return carryOut(verdict, seen, answer);
    default:
      setVerdict(answer, verdict, (verdict === "block" || verdict === "ask" ? ownReason(verdict, seen) : undefined) ?? reasonIn(seen));
      answer.endLoop ||= verdict === "block" && LOOP_ENDS.some(([key, value]) => valueIn(seen, key) === value);
      if (verdict === "handled") answer.output = contentOf("handled", seen)?.value;
  }
}

const LOOP_ENDS: readonly Entry[] = [
  ["endLoop", true],
  ["interrupt", true],
  ["continue", false],
];

/** A word that comes with its content: `{ action: "modify", input }`, or beside `args` and the like, which have been read. */
function carryOut(statement: keyof typeof wordContents, seen: readonly Entry[], answer: Answer): void {
  const found = contentOf(statement, seen);
  const keep = valueIn(seen, "keep") === true;
  if (found === undefined) {
    if (!seen.some(([key]) => key === "reminder" || Object.hasOwn(contents, key)))
      invalidate(answer, `"${statement}" has nothing to ${statement}`);
  } else if (found.as === "inject") addText(answer, found.value, keep);
  else if (found.as === "reminder") addReminder(answer, found.value, keep);
  else if (found.as !== "output") setRewrite(answer, found.as, found.value, reasonIn(seen));
}

type Content = "payload" | "input" | "value" | "inject" | "reminder" | "output";

function contentOf(
  statement: keyof typeof wordContents,
  seen: readonly Entry[],
): { readonly as: Content; readonly value: unknown } | undefined {
  for (const [key, as] of Object.entries(wordContents[statement]) as [string, Content][]) {
    const value = valueIn(seen, key);
    if (value !== undefined) return { as, value };
  }
  return undefined;
}

function reasonIn(seen: readonly Entry[]): string | undefined {
  const found = reasonKeys.map((key) => valueIn(seen, key)).find((value) => typeof value === "string" && value !== "");
  return found as string | undefined;
}

/** `{ block: "why" }`, `{ confirm: "really?" }` */
function ownReason(verdict: "block" | "ask", seen: readonly Entry[]): string | undefined {
  const reads = verdict === "block" ? ["no"] : ["ask", "hold"];
  return seen.find(([key, value]) => reads.includes(wordingOf(key)?.reads ?? "") && typeof value === "string")?.[1] as string | undefined;
}

/** A key that is one or two letters beside one that says a verdict. */
function findMisspelled(entries: readonly Entry[]): { readonly key: string; readonly meant: string } | undefined {
  for (const [key, value] of entries) {
    if ((typeof value !== "string" && typeof value !== "boolean") || wordingOf(key) !== undefined || Object.hasOwn(contents, key)) continue;
    const meant = closest(key, VERDICT_KEYS, key.length < 8 ? 1 : 2);
    if (meant !== undefined) return { key, meant };
  }
  return undefined;
}

const VERDICT_KEYS = ANYWHERE.filter((key) => wordingOf(key) !== undefined);

function valueIn(seen: readonly Entry[], key: string): unknown {
  return seen.find(([name]) => name === key)?.[1];
}

function wordingOf(key: string): Wording | undefined {
  return byBareKey.get(bare(key));
}

/** A key or a word as it is compared: agents do not agree on its case, nor on what joins its parts. */
function bare(key: string): string {
  return key.replace(/[-_\s]/g, "").toLowerCase();
}

const MAX_WORD = 40;

/** What a text says, if it is a verdict word. */
export function statementOf(value: unknown, words: Wording["words"] = {}): Statement | undefined {
  if (typeof value !== "string" || value.length > MAX_WORD) return undefined;
  const word = bare(value);
  if (Object.hasOwn(words, word)) return words[word];
  return Object.hasOwn(statements, word) ? statements[word] : undefined;
}

function notAVerdict([key, value]: Entry, answer: Answer): void {
  invalidate(answer, `"${key}" is ${shown(value)}, which is not a verdict`);
}

function isEmpty(shape: object): boolean {
  return isPlain(shape) && Object.keys(shape).length === 0;
}

function describeShape(shape: object): string {
  const keys = Object.keys(shape).slice(0, 5).join(", ");
  return keys === "" ? "an object of its own kind" : `an object with the keys ${keys}`;
}
