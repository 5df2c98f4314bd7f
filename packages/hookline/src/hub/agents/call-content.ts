import { Refused } from "../http/refused.js";
import { readText } from "../http/request-body.js";
import { JUDGED_LIMITS, measureJson, readPlainFields, type ShapeLimits, tooMuchText } from "../ingest/json-shape.js";
import type { ContentFault } from "./call-fault.js";

/** An agent's payload. With a fault, only its plain fields: names and ids on the first level. */
export interface AgentContent {
  readonly payload: unknown;
  readonly fault?: ContentFault;
}

const LIMITS: ShapeLimits = { levels: 61, ...JUDGED_LIMITS };
const MAX_OUTLINE_FIELDS = 64;

/** Reads the bytes of an agent's call. Content that cannot be judged is returned and not thrown, because the caller has to deny the call. */
export function contentIn(bytes: Uint8Array): AgentContent {
  try {
    return contentOf(readText(bytes));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { payload: undefined, fault: { code: error.code, message: error.message } };
  }
}

function contentOf(text: string): AgentContent {
  const { exceeds, keys } = measureJson(text, LIMITS);
  if (exceeds !== undefined) return { payload: outlineOf(text), fault: TOO_MUCH[exceeds] };
  const payload = parsed(text);
  if (payload === NOT_JSON) return { payload: undefined, fault: { code: "HL_BAD_REQUEST", message: "The body is not JSON." } };
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    return { payload: undefined, fault: { code: "HL_BAD_REQUEST", message: "The body is not a JSON object." } };
  const fault = ambiguityIn(payload, keys);
  return fault === undefined ? { payload } : { payload: outlineOf(text), fault };
}

const TOO_MUCH: { readonly [limit in keyof ShapeLimits]: ContentFault } = {
  levels: { code: "HL_TOO_DEEP", message: "The body is nested deeper than 60 levels." },
  keys: { code: "HL_BAD_PAYLOAD", message: tooMuchText("The body", "keys") },
  values: { code: "HL_BAD_PAYLOAD", message: tooMuchText("The body", "values") },
};

/** Content that two programs may read differently: the guards could judge another call than the one that runs. */
function ambiguityIn(payload: object, written: number): ContentFault | undefined {
  const { keys, hasPrototype } = countKeys(payload);
  if (hasPrototype) return { code: "HL_BAD_PAYLOAD", message: 'The body has a key "__proto__", which programs read in different ways.' };
  if (keys !== written)
    return { code: "HL_BAD_PAYLOAD", message: "The body has a key twice in one object, and programs differ on which one they use." };
  return undefined;
}

function countKeys(root: object): { readonly keys: number; readonly hasPrototype: boolean } {
  let [keys, hasPrototype] = [0, false];
  const visit = (node: object): void => {
    if (!Array.isArray(node)) {
      keys += Object.keys(node).length;
      hasPrototype ||= Object.hasOwn(node, "__proto__");
    }
    for (const member of Object.values(node)) if (typeof member === "object" && member !== null) visit(member);
  };
  visit(root);
  return { keys, hasPrototype };
}

/** The plain fields on the first level, so that a refused call is recorded in its session under its tool's name. */
function outlineOf(text: string): unknown {
  const plain = readPlainFields(text, MAX_OUTLINE_FIELDS);
  return plain === undefined ? undefined : Object.fromEntries(plain.filter(([key]) => key !== "__proto__"));
}

const NOT_JSON = Symbol("not JSON");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
