import { isAbsolute, resolve } from "node:path";
import type { HookEvent, ToolCall } from "@hookline/core";
import { isObject, type JsonObject } from "./read-document.js";

/** The fields of an event that the dialects write, wherever the payload has them. */
export interface EventFields {
  readonly session: string;
  readonly cwd: string | undefined;
  readonly tool: ToolCall | undefined;
  /** The tool's output, with the changes of transforms so far. */
  readonly output: unknown;
  /** The agent's original event. */
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

/** Relative paths are resolved, because the command may run in another folder than the agent. */
function absolute(path: string): string {
  return isAbsolute(path) ? path : resolve(path);
}
