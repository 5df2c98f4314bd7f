import { exactPieces } from "../../text/exact.js";
import { type Fields, isFields, textAt } from "../../text/fields.js";
import { jsonText } from "../../text/foreign.js";

/** What a card shows of a call: together they are all of it. */
export interface CallParts {
  readonly tool: string | undefined;
  readonly cwd: string | undefined;
  readonly input: unknown;
  /** Short facts about who calls, each on its own. */
  readonly facts: readonly string[];
  /** Whatever else stands in the call, such as the environment it runs in. */
  readonly rest: Fields;
}

/** Fields about the caller rather than about what would run, if they have the expected types. */
const ABOUT = new Set(["agent", "transcript", "permissionMode", "turn"]);

/** Takes a call apart. Ids of the call and its session stand elsewhere on the card; what an agent said in its own words stands here once. */
export function partsOf(payload: unknown): CallParts {
  const [tool, cwd] = [textAt(payload, "tool", "name"), textAt(payload, "cwd")];
  if (!isFields(payload) || !isFields(payload.tool) || payload.tool.input === undefined)
    return { tool, cwd, input: payload, facts: [], rest: {} };
  const { name, input, callId, ...more } = payload.tool;
  const { tool: _, cwd: folder, session, raw, ...others } = payload;
  const left = {
    ...others,
    ...unless(typeof folder === "string", "cwd", folder),
    ...unless(isSession(session), "session", session),
    ...unless(typeof name === "string", "tool.name", name),
    ...unless(isPlainId(callId), "tool.callId", callId),
    ...prefixed("tool", more),
    ...ownWords(raw, [name, input, callId, folder, textAt(session, "id"), ...valuesOf(others)]),
  };
  const told = Object.entries(left).map(([key, value]) => ({ key, value, facts: isAbout(key) ? factsOf(key, value) : undefined }));
  return {
    tool,
    cwd,
    input,
    facts: told.flatMap(({ facts }) => facts ?? []),
    rest: Object.fromEntries(told.flatMap(({ key, value, facts }) => (facts === undefined ? [[key, value]] : []))),
  };
}

/** What an agent said of itself, without what is shown already. */
function ownWords(raw: unknown, known: readonly unknown[]): Fields {
  if (!isFields(raw)) return unless(false, "raw", raw);
  const texts = new Set(known.map((value) => jsonText(value)));
  return prefixed("raw", Object.fromEntries(Object.entries(raw).filter(([, value]) => !texts.has(jsonText(value)))));
}

function isAbout(key: string): boolean {
  return ABOUT.has(key) || key.startsWith("raw.");
}

/** Nothing for what is long, deep, or holds what cannot be seen. */
function factsOf(name: string, value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return isPlain(value) ? [`${name}: ${value}`] : undefined;
  if (typeof value === "number" || typeof value === "boolean") return [`${name}: ${value}`];
  if (!isFields(value)) return undefined;
  const entries = Object.entries(value);
  const isShort = entries.length <= 8 && entries.every(([key, text]) => isPlain(key) && typeof text === "string" && isPlain(text));
  return isShort ? entries.map(([key, text]) => `${name}.${key}: ${text}`) : undefined;
}

function isPlain(text: string): boolean {
  return text.length <= 120 && !text.includes("\n") && !exactPieces(text).some(({ isSign }) => isSign);
}

function valuesOf(fields: Fields): readonly unknown[] {
  return Object.values(fields).flatMap((value) => (isFields(value) ? [value, ...Object.values(value)] : [value]));
}

function unless(isShown: boolean, name: string, value: unknown): Fields {
  return isShown || value === undefined ? {} : { [name]: value };
}

function prefixed(prefix: string, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [`${prefix}.${key}`, value]));
}

function isSession(value: unknown): boolean {
  return isFields(value) && Object.entries(value).every(([key, id]) => /^(id|parentId)$/.test(key) && isPlainId(id));
}

function isPlainId(value: unknown): boolean {
  return typeof value === "string" && /^[\w.:/@-]{0,200}$/.test(value);
}
