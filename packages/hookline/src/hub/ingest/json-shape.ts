const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** What JSON text may hold at most. `values`: all members of objects and of lists; empty ones count as one that has a member. */
export interface ShapeLimits {
  readonly levels: number;
  readonly keys: number;
  readonly values: number;
}

/**
 * What a question or a request may hold. An approver sees, and the record stores, a copy of at most 64 levels and 100,000 members, which
 * may contain a call twice: translated and in the agent's form. It must contain everything that is judged. To parse, match and hash 10,000
 * keys takes the hub's thread some 20 ms.
 */
export const JUDGED_LIMITS = { keys: 10_000, values: 45_000 } as const;

/** A sentence about what is too large for that. */
export function tooMuchText(what: string, exceeds: "keys" | "values"): string {
  return `${what} has more than ${JUDGED_LIMITS[exceeds].toLocaleString("en")} ${exceeds}.`;
}

export interface JsonShape {
  /** The first limit that it goes beyond; it was not read any further. */
  readonly exceeds?: keyof ShapeLimits;
  /** As written: a key that stands there twice counts twice. */
  readonly keys: number;
}

/** Measures JSON text before it is parsed: parsing five million keys would hold the hub for seconds. Text that is not JSON is measured all the same. */
export function measureJson(text: string, limits: ShapeLimits): JsonShape {
  let [depth, keys, values] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON && ++keys > limits.keys) return { exceeds: "keys", keys };
    else if (code === COMMA && ++values > limits.values) return { exceeds: "values", keys };
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > limits.levels) return { exceeds: "levels", keys };
      if (++values > limits.values) return { exceeds: "values", keys };
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return { keys };
}

/** Whether JSON text is nested deeper than so many levels: read off the text, because parsing what is deep is cheap and anything else with it is not. */
export function isDeeperThan(text: string, levels: number): boolean {
  // Most events have fewer brackets than that, wherever they stand: 0.2 µs instead of 0.8.
  return (
    countUpTo(text, "{", levels) + countUpTo(text, "[", levels) > levels &&
    measureJson(text, { levels, ...ANY_NUMBER }).exceeds !== undefined
  );
}

const SPACE = /[\t\n\r ]*/y;
const PLAIN = /[-+.\w]+/y;

/**
 * The texts, numbers and flags on the first level of a JSON object, without parsing the rest of it. Undefined for what is not an object; of
 * text that is malformed further on, what came before.
 */
export function readPlainFields(text: string, most: number): [key: string, value: unknown][] | undefined {
  const fields: [string, unknown][] = [];
  let at = after(SPACE, text, 0);
  if (text.charCodeAt(at) !== OPEN_BRACE) return undefined;
  do {
    const start = after(SPACE, text, at + 1);
    if (text.charCodeAt(start) !== QUOTE) break;
    const end = endOfString(text, start) + 1;
    const colon = after(SPACE, text, end);
    if (text.charCodeAt(colon) !== COLON) break;
    const value = after(SPACE, text, colon + 1);
    at = endOfValue(text, value);
    const field = text.charCodeAt(value) === OPEN_BRACE || text.charCodeAt(value) === OPEN_BRACKET ? undefined : readField();
    if (field !== undefined) fields.push(field);
    at = after(SPACE, text, at);

    function readField(): [string, unknown] | undefined {
      try {
        return [JSON.parse(text.slice(start, end)), JSON.parse(text.slice(value, at))];
      } catch {
        return undefined;
      }
    }
  } while (text.charCodeAt(at) === COMMA && fields.length < most);
  return fields;
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

function endOfValue(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return endOfString(text, at) + 1;
  return code === OPEN_BRACE || code === OPEN_BRACKET ? endOfContainer(text, at + 1) : after(PLAIN, text, at);
}

/** Where the container that was just opened ends. */
function endOfContainer(text: string, start: number): number {
  let depth = 1;
  let at = start;
  for (; at < text.length && depth > 0; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return at;
}

/** How often a sign occurs, not counted further than one beyond the limit. */
function countUpTo(text: string, sign: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0 && count <= limit; at = text.indexOf(sign, at + 1)) count++;
  return count;
}

const ANY_NUMBER = { keys: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/** Where the text that begins at a quote ends. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
