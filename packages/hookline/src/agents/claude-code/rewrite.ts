import { isDeepStrictEqual } from "node:util";
import type { AgentDecision, Translated } from "../agent.js";
import { isObject, type Json } from "./native-payload.js";
import { type ToolTable, toNative } from "./tool-table.js";

/** What became of a rewrite: nothing to say, an input in the agent's words, or a reason why the call must not run. */
export type Rewrite = { readonly input?: Json; readonly refused?: string };

/** The rewritten input of a tool call. What cannot be said to the agent is refused: it would run what no guard agreed to. */
export function toolRewrite(table: ToolTable, decision: AgentDecision, asked: Translated): Rewrite {
  const [before, after] = [toolOf(asked.payload), toolOf(decision.payload)];
  if (!decision.modified || isDeepStrictEqual(before, after)) return {};
  if (before === undefined || after === undefined || !isDeepStrictEqual(nameOf(before), nameOf(after)))
    return { refused: "A rule changed which tool is called, and the agent can only take another input." };
  const raw = isObject(asked.payload.raw) ? asked.payload.raw.tool_input : undefined;
  const input = toNative(table, nameOf(before), after.input, raw);
  if (input !== undefined) return isDeepStrictEqual(input, raw) ? {} : { input };
  return {
    refused: "A rule changed this call in a way that the agent cannot be told: fields that mean the same differ, or it is no object.",
  };
}

/** For events whose text goes to the model as it is: a rewrite cannot be told, so it is refused. */
export function textRewrite(decision: AgentDecision, asked: Translated): Rewrite {
  if (!decision.modified || !isObject(decision.payload)) return {};
  const { prompt, args, instructions } = decision.payload;
  const before = asked.payload;
  if (prompt === before.prompt && args === before.args && instructions === before.instructions) return {};
  return {
    refused: "A rule changed this text, and the agent takes it only as it was written. Write it again without what the rule took out.",
  };
}

function toolOf(payload: unknown): Json | undefined {
  return isObject(payload) && isObject(payload.tool) ? payload.tool : undefined;
}

function nameOf({ runtimeName, name }: Json): string {
  return typeof runtimeName === "string" ? runtimeName : String(name);
}
