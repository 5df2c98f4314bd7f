import { isWithin } from "@hookline/core/internal/wire";

/** An object of JSON. What is in it is only known after a look. */
export interface Fields {
  readonly [field: string]: unknown;
}

export type RequestId = string | number;

/** A message of JSON-RPC 2.0. Unknown fields stay in it. */
export type Message = Fields;

export interface Request extends Fields {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: unknown;
}

export interface Notification extends Fields {
  readonly method: string;
  readonly params?: unknown;
}

/** An answer: a result or an error. */
export interface Response extends Fields {
  readonly id: RequestId;
}

/** The codes of JSON-RPC that this package answers with. */
export const CODE = { parse: -32700, invalid: -32600, noMethod: -32601, params: -32602, internal: -32603, denied: -32001 } as const;

/** More than any server or client needs. What is deeper would end the program that writes it again. */
const MAX_LEVELS = 500;

export const TOO_DEEP = `a message with more than ${MAX_LEVELS} levels of nesting`;

export function isTooDeep(message: unknown): boolean {
  return !isWithin(message, MAX_LEVELS);
}

export function isRequest(message: Message): message is Request {
  return typeof message.method === "string" && isId(message.id);
}

export function isNotification(message: Message): message is Notification {
  return typeof message.method === "string" && message.id === undefined;
}

export function isResponse(message: Message): message is Response {
  return message.method === undefined && isId(message.id) && ("result" in message || "error" in message);
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

/** Whether an answer has what each answer of MCP has: an object, as its result or as its error. */
export function isWhole({ result, error }: Message): boolean {
  return isObject(error === undefined ? result : error);
}

/** The value as an object; an empty one for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function resultMessage(id: RequestId, result: unknown): Message {
  return { jsonrpc: "2.0", id, result };
}

export function errorMessage(id: RequestId | null, code: number, message: string): Message {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

export function notificationMessage(method: string, params?: Fields): Message {
  return { jsonrpc: "2.0", method, ...(params !== undefined && { params }) };
}
