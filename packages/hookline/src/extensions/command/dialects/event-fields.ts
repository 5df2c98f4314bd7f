import { isAbsolute, resolve } from "node:path";
import type { HookEvent, ToolCall } from "@hookline/core";
import { isObject, type JsonObject } from "./read-document.js";

/** What the dialects write of an event, wherever it stands in ours. */
export interface EventFields {
  readonly session: string;
  readonly cwd: string | undefined;
  readonly tool: ToolCall | undefined;
  /** The tool's output: what a transform has made of it so far, else what it gave. */
  readonly output: unknown;
  /** The agent's own event, as it came. */
  readonly raw: JsonObject;
}

export function fieldsOf(event: HookEvent): EventFields {
  const { payload } = event;
  const tool = isObject(payload.tool) ? (payload.tool as unknown as ToolCall) : undefined;
  return {
    session: String(event.session?.id ?? payload.session?.id ?? ""),
    cwd: typeof payload.cwd === "string" && payload.cwd !== "" ? absolute(payload.cwd) : undefined,
    tool,
    output: event.name === "tool:result" ? event.value : tool?.output,
    raw: isObject(payload.raw) ? payload.raw : {},
  };
}

/** A relative path would mean another file to the command than to the agent. */
function absolute(path: string): string {
  return isAbsolute(path) ? path : resolve(path);
}
