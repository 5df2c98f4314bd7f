import type { Flow } from "./facts.js";

/** The text of a word as far as it is known. */
export interface Value {
  /** Parts that are not known stand here as they were written. */
  readonly text: string;
  /** Set if the text has globs or parts that are not known. See `PathFact`. */
  readonly pattern: string | undefined;
  /** Why a part is not known. */
  readonly unknown: string | undefined;
  /** Where it comes from. Undefined: from the text of the command itself. */
  readonly flows: readonly Flow[] | undefined;
  /** It is not known whether it is one word: the output of a command without quotes. */
  readonly isLoose?: boolean;
  /** The words that it is split into, if these are known as patterns: names of files that a command lists. */
  readonly names?: readonly Value[];
  /** The path of something new. See `PathFact`. */
  readonly isMade?: true;
  /** The code with which an installed program sets up a shell: `pyenv init -`. */
  readonly isSetup?: boolean;
}

/** Longer values are not computed: a text can double a variable many times. */
const MAX_LENGTH = 65_536;
/** More origins than these are not kept one by one, for the same reason. */
const MAX_FLOWS = 64;
const tooLong: Flow = { from: "unknown", why: "a value is too long" };

export function literal(text: string): Value {
  return { text, pattern: undefined, unknown: undefined, flows: undefined };
}

/** A value of which nothing is known but how it is written. */
export function unknownValue(text: string, why: string, flows?: readonly Flow[]): Value {
  return { text, pattern: "**", unknown: why, flows: flows ?? [{ from: "unknown", why }] };
}

/** Some text without a slash, such as a number or a date. */
export function someName(text: string): Value {
  return { text, pattern: "*", unknown: undefined, flows: undefined };
}

const special = /[*?[\]\\]/g;

/** A text in which no character of a pattern has a meaning. */
export function escapePattern(text: string): string {
  return text.replace(special, "\\$&");
}

export function patternOf({ pattern, text }: Value): string {
  return pattern ?? escapePattern(text);
}

export function concat(left: Value, right: Value): Value {
  if (left.text === "" && left.pattern === undefined && left.flows === undefined) return right;
  if (right.text === "" && right.pattern === undefined && right.flows === undefined) return left;
  const flows = left.flows === undefined ? right.flows : right.flows === undefined ? left.flows : joinFlows(left.flows, right.flows);
  const isPattern = left.pattern !== undefined || right.pattern !== undefined;
  const pattern = isPattern ? patternOf(left) + patternOf(right) : undefined;
  // A pattern can be longer than the text: that of an output stands for how the output is written.
  if (left.text.length + right.text.length > MAX_LENGTH || (pattern !== undefined && pattern.length > MAX_LENGTH))
    return unknownValue("…", "a value is too long", flows === undefined ? undefined : joinFlows(flows, [tooLong]));
  return { text: left.text + right.text, pattern, unknown: left.unknown ?? right.unknown, flows };
}

/** The origins of two texts together. Past the limit, one of each kind is kept, and the rest is one origin that is not known. */
export function joinFlows(left: readonly Flow[], right: readonly Flow[]): readonly Flow[] {
  if (left.length + right.length <= MAX_FLOWS) return [...left, ...right];
  const kinds = new Set<Flow["from"]>();
  const kept = [...left, ...right].filter(({ from }, at) => {
    const isNew = !kinds.has(from);
    kinds.add(from);
    return isNew || at < MAX_FLOWS;
  });
  return kinds.has("unknown") ? kept : [...kept, { from: "unknown", why: `there are more than ${MAX_FLOWS} origins` }];
}

export function concatAll(values: readonly Value[]): Value {
  return values.reduce(concat, literal(""));
}

/** Words as one text. */
export function joinWords(words: readonly Value[], separator = " "): Value {
  return concatAll(words.flatMap((word, at) => (at > 0 ? [literal(separator), word] : [word])));
}

/** Whether the whole text is known. */
export function isExact(value: Value): boolean {
  return value.pattern === undefined;
}

/** The origin of a value as data: where it comes from, and its text where that is known. */
export function flowsOf(value: Value): readonly Flow[] {
  const { text, unknown, flows } = value;
  if (flows !== undefined) return isExact(value) && flows.length === 1 ? flows.map((flow) => ({ ...flow, text })) : flows;
  return unknown === undefined ? [{ from: "literal", text }] : [{ from: "unknown", why: unknown }];
}
