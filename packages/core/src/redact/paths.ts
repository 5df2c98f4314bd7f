import { HookError } from "../catalog/errors.js";
import { checkPath } from "../catalog/payload-paths.js";
import { redacted } from "./markers.js";

/** Keys from the payload down; `*` stands for every key or list item. */
export type KeyPath = readonly string[];

/** Compiles `tool.input.env.*`, with or without a leading `payload.`. A path that can be written two ways gives both. */
export function compileRedaction(path: string): KeyPath[] {
  const keys = typeof path === "string" ? path.split(".") : [""];
  if (keys.includes("")) throw new HookError("HL_BAD_OPTION", `"redact" has no path in ${JSON.stringify(path)}. Write "tool.input.token".`);
  const [first, second, ...rest] = keys[0] === "payload" ? keys.slice(1) : keys;
  const literal = [first, second, ...rest].filter((key) => key !== undefined);
  refuseUnknown(path, literal);
  if (first === "tool" && second === "args") return [literal, ["tool", "input", ...rest]];
  if (first === "result") return [literal, ["tool", "output", ...(second === undefined || second === "text" ? [] : [second]), ...rest]];
  return [literal];
}

/** Rejects a path that no payload has, because it would hide nothing. Payloads of custom events, and fields below a `*`, are not known here. */
function refuseUnknown(path: string, keys: KeyPath): void {
  const wild = keys.indexOf("*");
  const known = wild < 0 ? keys : keys.slice(0, wild);
  // `value` is the value of a transform.
  if (known.length === 0 || known[0] === "value") return;
  const fault = checkPath(known.join("."), ["*"]);
  if (fault?.severity === "error") throw new HookError("HL_UNKNOWN_PATH", `"redact" has ${JSON.stringify(path)}: ${fault.message}`);
}

/** Hides the value at a path in a copy of JSON data, in place. Returns the data, or the marker if the path is empty. */
export function hidePath(node: unknown, path: KeyPath): unknown {
  if (path.length === 0) return redacted();
  if (typeof node !== "object" || node === null) return node;
  const [key, ...rest] = path;
  const record = node as Record<string, unknown>;
  for (const name of key === "*" ? Object.keys(record) : [key as string])
    if (Object.hasOwn(record, name)) record[name] = hidePath(record[name], rest);
  return node;
}
