import { isDeepStrictEqual } from "node:util";
import type { AgentDecision, Translated } from "../shared/definition.js";
import { isObject } from "../shared/native-payload.js";
import { type Rewrite, toolRewrite } from "../shared/rewrite.js";
import { COMMAND_TOOLS, tools } from "./tools.js";

/** As Claude Code's, for an agent that reads only the command of its shells and patches: a rewrite of anything else is refused. */
export function codexRewrite(decision: AgentDecision, asked: Translated): Rewrite {
  const { input, refused } = toolRewrite(tools, decision, asked);
  const raw = isObject(asked.payload.raw) ? asked.payload.raw : {};
  if (input === undefined) return refused === undefined ? {} : { refused };
  if (!COMMAND_TOOLS.includes(String(raw.tool_name))) return { input };
  const { command, path, paths, ...others } = input;
  const { command: _, ...before } = isObject(raw.tool_input) ? raw.tool_input : {};
  const { path: shownPath, paths: shownPaths } = shownIn(asked);
  const isOnlyCommand = isDeepStrictEqual(others, before) && isSame(path, shownPath) && isSame(paths, shownPaths);
  if (typeof command === "string" && isOnlyCommand) return { input: { command } };
  return { refused: "A rule changed more than the command of this call, and Codex takes nothing else." };
}

function shownIn({ payload }: Translated): { readonly path?: unknown; readonly paths?: unknown } {
  return isObject(payload.tool) && isObject(payload.tool.input) ? payload.tool.input : {};
}

/** A field that we added may be left out of a rewrite; it may not differ. */
function isSame(value: unknown, shown: unknown): boolean {
  return value === undefined || isDeepStrictEqual(value, shown);
}
