import { readPrivateJson, replacePrivately } from "@hookline/core/internal/machine";

/** Calls of an attached agent that reached the hub with content that it could not judge, for one reason. */
export interface RefusedCalls {
  readonly agent: string;
  /** By the agent's own name. */
  readonly event: string;
  readonly code: string;
  /** A sentence about the content. */
  readonly message: string;
  readonly count: number;
  readonly lastAt: string;
}

const FILE = "refused.json";
/** A program with the key can send any event. */
const MAX_ROWS = 100;
const MAX_CHARS = 500;

/** `folder`: `attach` in the state folder. */
export function readRefusedCalls(folder: string): readonly RefusedCalls[] {
  const kept = readPrivateJson(folder, FILE);
  return Array.isArray(kept) ? kept.filter(isRow).slice(-MAX_ROWS) : [];
}

export function writeRefusedCalls(folder: string, rows: readonly RefusedCalls[]): void {
  replacePrivately(folder, FILE, `${JSON.stringify(rows, undefined, 2)}\n`);
}

/** The rows with one call more. The row of the last call is the last. */
export function withRefusedCall(rows: readonly RefusedCalls[], call: Omit<RefusedCalls, "count">): readonly RefusedCalls[] {
  const short = { ...call, event: call.event.slice(0, MAX_CHARS), message: call.message.slice(0, MAX_CHARS) };
  const isSame = (row: RefusedCalls) => row.agent === short.agent && row.event === short.event && row.message === short.message;
  const count = (rows.find(isSame)?.count ?? 0) + 1;
  return [...rows.filter((row) => !isSame(row)), { ...short, count }].slice(-MAX_ROWS);
}

function isRow(value: unknown): value is RefusedCalls {
  const { agent, event, code, message, lastAt, count } = Object(value) as { readonly [key: string]: unknown };
  return [agent, event, code, message, lastAt].every((text) => typeof text === "string") && Number.isSafeInteger(count);
}
