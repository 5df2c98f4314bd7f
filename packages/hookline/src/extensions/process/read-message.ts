import type { UnreadFrame } from "@hookline/core/internal/wire";
import { findRepeatedKey } from "../command/dialects/repeated-keys.js";
import type { ExtensionCode } from "./failures.js";

/** Why an answer is not a result. */
interface RequestFailure {
  readonly code: ExtensionCode;
  readonly what: string;
}

/** A message of a process. `id` is the value that it gave, of any type. */
export type Message =
  | { readonly type: "answer"; readonly id: unknown; readonly result: unknown; readonly failure: RequestFailure | undefined }
  | { readonly type: "request"; readonly id: unknown; readonly method: string }
  | { readonly type: "notice"; readonly method: string; readonly params: unknown };

const MAX_DEPTH = 64;
const MAX_WORDS = 1_000;

/** Reads a JSON-RPC 2.0 message. `undefined` for anything else. */
export function readMessage(text: string): Message | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof given !== "object" || given === null || (given as Frame).jsonrpc !== "2.0") return undefined;
  const frame = given as Frame;
  if (typeof frame.method === "string") return call(frame, frame.method);
  if (frame.id === undefined || frame.id === null) return undefined;
  return { type: "answer", id: frame.id, result: resultIn(frame, text), failure: failureIn(frame) };
}

interface Frame {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

function call({ id, params }: Frame, method: string): Message {
  return id === undefined ? { type: "notice", method, params } : { type: "request", id, method };
}

/** A result that says two things under one key is an attempt at an answer that cannot be read. */
function resultIn({ result }: Frame, text: string): unknown {
  const repeated = findRepeatedKey(text);
  if (repeated === undefined) return result;
  const reason = `it has the key "${repeated.slice(0, 40)}" twice, with different values`;
  return { kind: "unread", code: "HL_INVALID_VERDICT", failure: "invalid_verdict", reason } satisfies UnreadFrame;
}

function failureIn(frame: Frame): RequestFailure | undefined {
  const hasResult = Object.hasOwn(frame, "result");
  if (hasResult === Object.hasOwn(frame, "error"))
    return { code: "HL_EXTENSION_PROTOCOL", what: "answered with neither or both of a result and an error." };
  if (!hasResult) return { code: "HL_HANDLER_FAILED", what: `failed: ${wordsOf(frame.error)}` };
  return isTooDeep(frame.result, MAX_DEPTH)
    ? { code: "HL_EXTENSION_ANSWER", what: `gave an answer that is nested more than ${MAX_DEPTH} deep.` }
    : undefined;
}

function wordsOf(error: unknown): string {
  const message = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : undefined;
  return typeof message === "string" && message !== "" ? message.slice(0, MAX_WORDS) : "it did not say why.";
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((member) => isTooDeep(member, left - 1));
}
