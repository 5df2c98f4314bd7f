import { isDeepStrictEqual } from "node:util";
import type { AgentDecision, Translated } from "./definition.js";
import { isObject, type Json } from "./native-payload.js";
import { type ToolTable, toNative } from "./tool-table.js";

/** What became of a rewrite: nothing to say, an input in the agent's words, or a reason why the call must not run. */
export type Rewrite = { readonly input?: Json; readonly refused?: string };

/**
 * The rewritten input of a tool call. What cannot be said to the agent is refused: it would run what no guard agreed to. `own` is the agent's
 * payload, where its words are not those of Claude Code.
 */
export function toolRewrite(table: ToolTable, decision: AgentDecision, asked: Translated, own: unknown = asked.payload.raw): Rewrite {
  if (!decision.modified) return {};
  if (isChangedBeside(decision, asked, ["tool"])) return { refused: ELSEWHERE };
  const [before, after] = [toolOf(asked.payload), toolOf(decision.payload)];
  if (isSame(before, after)) return {};
  if (before === undefined || after === undefined || !isSame(withoutInput(before), withoutInput(after)))
    return { refused: "A rule changed which tool is called, and the agent can only take another input." };
  const raw = isObject(own) ? own.tool_input : undefined;
  const input = toNative(table, nameOf(before), after.input, raw);
  if (input !== undefined) return isSame(input, raw) ? {} : { input };
  return {
    refused: "A rule changed this call in a way that the agent cannot be told: fields that mean the same differ, or it is no object.",
  };
}

/** For events whose text goes to the model as it is: a rewrite cannot be told, so it is refused. */
export function textRewrite(decision: AgentDecision, asked: Translated): Rewrite {
  if (!decision.modified || !isChangedBeside(decision, asked, [])) return {};
  return {
    refused: "A rule changed this text, and the agent takes it only as it was written. Write it again without what the rule took out.",
  };
}

/** What an event is about. A rewrite may leave out what is around these, or add a note; it may not leave out these. */
const SUBJECTS = ["tool", "prompt", "command", "args", "instructions", "request"];
const ELSEWHERE = "A rule changed something about this call that the agent cannot be told. It takes nothing but another input.";

/** Whether a rewrite changes anything besides the fields that the agent can be told. */
export function isChangedBeside({ payload }: AgentDecision, asked: Translated, told: readonly string[]): boolean {
  if (!isObject(payload)) return true;
  const keys = [...Object.keys(asked.payload).filter((key) => key in payload), ...SUBJECTS];
  return keys.some((key) => !told.includes(key) && !isSame(payload[key], asked.payload[key]));
}

/** As JSON has it: a hook outside this process gives back what JSON can carry. */
export function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || isDeepStrictEqual(asJson(a), asJson(b));
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value) ?? "null");
}

function withoutInput({ input: _, ...tool }: Json): Json {
  return tool;
}

function toolOf(payload: unknown): Json | undefined {
  return isObject(payload) && isObject(payload.tool) ? payload.tool : undefined;
}

function nameOf({ runtimeName, name }: Json): string {
  return typeof runtimeName === "string" ? runtimeName : String(name);
}
