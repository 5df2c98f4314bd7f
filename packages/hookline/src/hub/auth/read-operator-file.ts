// The light entry: what loads the bus takes longer to load than all of `hookline status`.
import { readPrivately, type Untrusted } from "@hookline/core/internal/machine";

/** The token that may do everything, and the hub it belongs to. */
export interface OperatorFile {
  readonly instance: string;
  readonly token: string;
}
export type OperatorState = { readonly state: "found"; readonly file: OperatorFile } | { readonly state: "none" } | Untrusted;

export const OPERATOR_FILE = "operator.json";
const TOKEN = /^[\w.~+/=-]{16,1026}$/;

/** Reads the file of a folder. Never throws, and no reason quotes what stood in it. */
export function readOperatorFile(folder: string, name = OPERATOR_FILE): OperatorState {
  const read = readPrivately(folder, name);
  return read.state === "found" ? parse(read.bytes.toString("utf8")) : read;
}

function parse(text: string): OperatorState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, and the token with it.
    return { state: "broken", reason: "it is not JSON" };
  }
  const { instance, token } = (value ?? {}) as { readonly instance?: unknown; readonly token?: unknown };
  if (typeof instance !== "string" || typeof token !== "string" || !TOKEN.test(token))
    return { state: "broken", reason: "it is not what a hub writes" };
  return { state: "found", file: { instance, token } };
}
