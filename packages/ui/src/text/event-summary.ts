import { type Fields, isFields } from "./fields.js";

const ABOUT = ["command", "path", "file_path", "url", "query", "pattern", "prompt", "description"];
const MUNDANE = new Set(["session", "agent", "turn", "cwd", "raw", "session_id", "_forwarded", "_forwarded_from"]);
const MAX_LENGTH = 400;

/** What is worth seeing of an event on one line, not yet inert. */
export function summaryOf(payload: unknown): string {
  if (!isFields(payload)) return payload === null || payload === undefined ? "" : cut(compact(payload));
  const text =
    toolText(payload) ?? approvalText(payload) ?? workerText(payload) ?? wordsOf(payload) ?? usageText(payload) ?? restOf(payload);
  return cut(text);
}

/** The tool's name, what it is called with, and what came of it. */
function toolText({ tool, status, error }: Fields): string | undefined {
  if (!isFields(tool) || typeof tool.name !== "string") return undefined;
  const outcome = typeof status === "string" ? statusText(status, tool.durationMs) : "";
  const trouble = status !== "ok" && status !== "blocked" && error !== undefined ? compact(error) : "";
  return [tool.name, inputText(tool.input), outcome, trouble].filter((part) => part !== "").join(" ");
}

function statusText(status: string, durationMs: unknown): string {
  return typeof durationMs === "number" && status !== "blocked" ? `→ ${status} in ${Math.round(durationMs)} ms` : `→ ${status}`;
}

function inputText(input: unknown): string {
  if (!isFields(input)) return input === undefined ? "" : compact(input);
  const about = ABOUT.map((key) => input[key]).find((value) => typeof value === "string" && value !== "");
  if (typeof about === "string") return cut(about);
  return Object.keys(input).length === 0 ? "" : compact(input);
}

function approvalText({ approval }: Fields): string | undefined {
  if (!isFields(approval)) return undefined;
  const { by, verdict, reason, payload } = approval;
  const said = [by, verdict ?? "asks", reason].filter((part) => typeof part === "string").join(" ");
  const about = isFields(payload) ? toolText(payload) : undefined;
  return about === undefined ? said : `${about}: ${said}`;
}

function workerText({ worker }: Fields): string | undefined {
  if (!isFields(worker)) return undefined;
  return [worker.name ?? worker.id, worker.task, worker.status].filter((part) => typeof part === "string").join(": ");
}

function wordsOf({ delta, message, prompt, text, reason, target, error }: Fields): string | undefined {
  const said = [delta, message, prompt, text, target, reason].find((value) => typeof value === "string");
  if (typeof said === "string") return said;
  return error === undefined ? undefined : compact(isFields(error) ? (error.message ?? error) : error);
}

function usageText({ usage }: Fields): string | undefined {
  if (!isFields(usage)) return undefined;
  const { inputTokens, outputTokens, costUsd } = usage;
  const tokens = `${inputTokens ?? "?"} tokens in, ${outputTokens ?? "?"} out`;
  return costUsd === undefined ? tokens : `${tokens}, $${costUsd}`;
}

function restOf(payload: Fields): string {
  const rest = Object.entries(payload).filter(([key]) => !MUNDANE.has(key));
  return rest.length === 0 ? "" : compact(Object.fromEntries(rest));
}

function compact(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
