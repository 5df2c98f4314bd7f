import { closest, thisInstead } from "../text/did-you-mean.js";
import { catalog, customEvent, type EventKind } from "./events.js";
import { findEvent, isPattern, patternMatches } from "./names.js";
import { baseShape, eventShapes, familyShapes, type Leaf, type Shape } from "./payload-shapes.js";

/** What is wrong with a path. An error: none of the events has it. A warning: whether one has it cannot be known here. */
export interface PathFault {
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** Checks a path such as `tool.input.command` against the payloads of events, by name or pattern. One that has it is enough. */
export function checkPath(path: string, events: readonly string[]): PathFault | undefined {
  const findings = events.flatMap(payloadsOf).map((payload) => find(path, payload));
  if (findings.length === 0 || findings.includes(undefined)) return undefined;
  const faults = findings as readonly Finding[];
  const worst =
    faults.find(({ suggestion, isCertain }) => isCertain && suggestion !== undefined) ?? faults.find(({ isCertain }) => isCertain);
  return worst === undefined ? warning(path, faults[0] as Finding) : certain(path, worst);
}

interface Payload {
  readonly event: string;
  readonly fields: Shape;
  readonly kind: EventKind;
  readonly isCustom: boolean;
  /** The event was named, not matched by a pattern. */
  readonly isNamed: boolean;
}

interface Finding {
  readonly event: string;
  /** What in the path is not there, and in what. */
  readonly why: string;
  readonly isCertain: boolean;
  readonly suggestion?: string | undefined;
}

function certain(path: string, { why, suggestion }: Finding): PathFault {
  return { severity: "error", message: `"${path}" is never there: ${why}.${thisInstead(suggestion)}` };
}

function warning(path: string, { event, why, suggestion }: Finding): PathFault {
  const isOwn = findEvent(event)?.spec === customEvent;
  const known = isOwn ? `Hookline does not know the payload of "${event}"` : `${why} that Hookline knows of`;
  return {
    severity: "warning",
    message: `"${path}" cannot be checked: ${known}. Where it is missing, it is empty.${thisInstead(suggestion)}`,
  };
}

function payloadsOf(event: string): Payload[] {
  const exact = findEvent(event);
  if (exact !== undefined) return [{ ...payloadOf(exact.name), isNamed: true }];
  if (!isPattern(event)) return [];
  const named = Object.keys(catalog).filter((name) => patternMatches(event, name));
  const open = Object.keys(familyShapes).map((namespace) => `${namespace}:*`);
  const families = open.filter((family) => event === "*" || event === family);
  const matched = [...named, ...families].map(payloadOf);
  return matched.length > 0 ? matched : [payloadOf(event)];
}

function payloadOf(event: string): Payload {
  const [namespace = ""] = event.split(":");
  const spec = findEvent(event)?.spec;
  const own = Object.hasOwn(eventShapes, event)
    ? eventShapes[event as keyof typeof eventShapes]
    : Object.hasOwn(familyShapes, namespace)
      ? familyShapes[namespace as keyof typeof familyShapes]
      : undefined;
  return { event, fields: plain({ ...baseShape, ...own }), kind: spec?.kind ?? "observe", isCustom: own === undefined, isNamed: false };
}

/** Nothing when the payload has the path. */
function find(path: string, payload: Payload): Finding | undefined {
  const keys = path.split(".");
  const meant = canonical(keys);
  const isValue = payload.kind === "transform" && meant[0] === "tool" && meant[1] === "output";
  if (isValue || has(payload.fields, meant) || has(payload.fields, keys)) return undefined;
  const fault = faultOf(meant, payload);
  // The catalogue does not know the payloads of custom events.
  return payload.isCustom ? { ...fault, isCertain: false } : fault;
}

/** The other spellings that matching has. */
function canonical(keys: readonly string[]): readonly string[] {
  const [first, second, ...rest] = keys;
  if (first === "tool" && second === "args") return ["tool", "input", ...rest];
  if (first !== "result") return keys;
  return ["tool", "output", ...(second === undefined || second === "text" ? [] : [second]), ...rest];
}

function has(fields: Shape, keys: readonly string[]): boolean {
  return depthOf(fields, keys) === keys.length;
}

/** How many keys exist, counted from the first. */
function depthOf(fields: Shape, keys: readonly string[]): number {
  let node: Leaf | Shape = fields;
  for (const [depth, key] of keys.entries()) {
    if (isFree(node)) return keys.length;
    if (typeof node === "string" || !Object.hasOwn(node, key)) return depth;
    node = node[key] as Leaf | Shape;
  }
  return keys.length;
}

function faultOf(keys: readonly string[], { event, fields, isNamed }: Payload): Finding {
  const depth = depthOf(fields, keys);
  const parent = nodeAt(fields, keys.slice(0, depth));
  const there = keys.slice(0, depth).join(".");
  if (typeof parent === "string") {
    const kind = parent === "status" ? "text" : parent;
    return { event, why: `"${there}" is a ${kind} and has nothing in it`, isCertain: true };
  }
  const [key = "", ...rest] = keys.slice(depth);
  const elsewhere = misplaced(keys, fields);
  const name = elsewhere === undefined ? near(key, Object.keys(parent)) : undefined;
  const meant = name === undefined ? undefined : [...keys.slice(0, depth), name];
  const suggestion = elsewhere ?? (meant && (has(fields, [...meant, ...rest]) ? [...meant, ...rest] : meant).join("."));
  // Agents add to what stands at the top of a payload. The parts of the catalogue are as they are, and where they are.
  const isTypo = name !== undefined && (isNamed || parent[name] !== "any" || Object.hasOwn(usual, name));
  return {
    event,
    why: `"${depth === 0 ? event : there}" has no "${key}"`,
    isCertain: depth > 0 || key === "tool" || elsewhere !== undefined || isTypo,
    suggestion,
  };
}

/** A name of two letters is close to too many others. */
function near(key: string, names: readonly string[]): string | undefined {
  return key.length < 3 ? undefined : closest(key, names, key.length > 4 ? 2 : 1);
}

/** Paths that users often try, and the paths that they mean. */
const ELSEWHERE: { readonly [key: string]: string } = {
  payload: "",
  event: "",
  input: "tool.input",
  args: "tool.input",
  arguments: "tool.input",
  tool_input: "tool.input",
  toolInput: "tool.input",
  output: "tool.output",
  tool_output: "tool.output",
  toolOutput: "tool.output",
  tool_response: "tool.output",
  command: "tool.input.command",
  tool_call_id: "tool.callId",
  toolCallId: "tool.callId",
  tool_use_id: "tool.callId",
  call_id: "tool.callId",
  duration_ms: "tool.durationMs",
  exit_code: "tool.exitCode",
  returncode: "tool.exitCode",
  name: "tool.name",
  tool_name: "tool.name",
  toolName: "tool.name",
  session_id: "session.id",
  sessionId: "session.id",
  model: "agent.model",
  platform: "agent.platform",
  user_prompt: "prompt",
  user_message: "prompt",
  turn_id: "turn.id",
  iteration: "turn.iteration",
  workspace: "cwd",
  error_message: "error",
  previous_mode: "previousMode",
  child_role: "worker.name",
  child_goal: "worker.task",
  child_status: "worker.status",
};

function misplaced([first = "", ...rest]: readonly string[], fields: Shape): string | undefined {
  const place = Object.hasOwn(ELSEWHERE, first) ? ELSEWHERE[first] : undefined;
  if (place === undefined) return undefined;
  const keys = [...place.split("."), ...rest].filter((key) => key !== "");
  // `event.payload.prompt`
  if (place === "" && keys[0] === "payload") keys.shift();
  return keys.length > 0 && has(fields, keys) ? keys.join(".") : undefined;
}

function nodeAt(fields: Shape, keys: readonly string[]): Leaf | Shape {
  return keys.reduce<Leaf | Shape>((node, key) => (typeof node === "string" ? node : (node[key] as Leaf | Shape)), fields);
}

function isFree(node: Leaf | Shape): boolean {
  return node === "any" || node === "record" || node === "input";
}

/** The fields without the marks of those that may be missing. */
function plain(shape: Shape): Shape {
  const fields = Object.entries(shape).map(([name, node]) => [name.replace(/\?$/, ""), typeof node === "string" ? node : plain(node)]);
  return Object.fromEntries(fields);
}

const usual = plain(baseShape);
