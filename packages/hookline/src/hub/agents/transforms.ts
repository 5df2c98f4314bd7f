import type { Actor } from "@hookline/core";
import { withheld } from "@hookline/core/internal";
import { type AgentDecision, type AgentDialect, canDo, type Translated } from "../../agents/shared/definition.js";
import { isObject } from "../../agents/shared/native-payload.js";
import { outputText, outputValue } from "../../agents/shared/output-text.js";
import { isSame } from "../../agents/shared/rewrite.js";
import type { Gates } from "../parts.js";
import type { AskedCall } from "./agent-call.js";

export interface AgentTransforms {
  readonly gates: Pick<Gates, "transform" | "list">;
  /** Whether an event has listeners. */
  readonly has: (event: string) => boolean;
}

/** The result of transforming a call's output. */
interface TransformedCall extends Pick<AgentDecision, "output"> {
  /** The call with the new output, also in the agent's own payload: removed text must not be recorded either. */
  readonly asked: Translated;
  readonly injections: readonly string[];
}

/** Transforms the output of a call, if the agent accepts a new one. */
export async function transformOutput({ dialect, native, asked }: AskedCall, { gates, has }: AgentTransforms): Promise<TransformedCall> {
  const unchanged = { asked, injections: [] };
  const { tool } = asked.payload;
  if (!canDo(dialect, native, "replace") || !isObject(tool) || tool.output === undefined || !has("tool:result")) return unchanged;
  const given = outputValue(tool.output);
  // Its reminders are already stored in the hub.
  const { value, injections } = await gates.transform({ event: "tool:result", payload: asked.payload, value: given });
  return isSame(value, given) ? { asked, injections } : { asked: withOutput(dialect, asked, value), output: { value }, injections };
}

/** The result of building a prompt. */
export interface BuiltPrompt extends AgentDecision {
  /** The handler whose failure denied it. */
  readonly deniedBy?: Actor | undefined;
}

/**
 * Builds a prompt that was allowed. Only some agents accept a changed prompt; the others receive only injected text. A withheld prompt is
 * not sent to the model.
 */
export async function buildPrompt(decision: AgentDecision, call: AskedCall, { gates, has }: AgentTransforms): Promise<BuiltPrompt> {
  const { asked, dialect, native } = call;
  const isThrough = decision.verdict !== "deny" && decision.verdict !== "ask";
  const payload = isObject(decision.payload) ? decision.payload : asked.payload;
  const { prompt } = payload;
  if (asked.event !== "prompt:submit" || typeof prompt !== "string" || !isThrough || !has("prompt:build")) return decision;
  const result = await gates.transform({ event: "prompt:build", payload, value: prompt });
  const { value } = result;
  const built = { ...decision, injections: [...decision.injections, ...result.injections] };
  if (value === prompt) return built;
  if (canDo(dialect, native, "modify")) return { ...built, modified: true, payload: { ...payload, prompt: outputText(value) } };
  if (!result.isWithheld) return built;
  return { ...built, verdict: "deny", reason: `This prompt was not sent: ${value}`, deniedBy: result.withheldBy };
}

/** The answer after an unreadable call, if a transform must see every output. Otherwise undefined. */
export function withheldOutput({ dialect, native }: AskedCall, { gates }: AgentTransforms, reason: string): AgentDecision["output"] {
  if (!canDo(dialect, native, "replace")) return undefined;
  const isClosed = gates.list().some(({ event, onFailure }) => event === "tool:result" && onFailure === "closed");
  return isClosed ? { value: withheld(reason) } : undefined;
}

function withOutput({ outputFields }: AgentDialect, asked: Translated, value: unknown): Translated {
  const { tool, raw, error: _, ...rest } = asked.payload;
  const own = isObject(raw) ? Object.entries(raw).map(([name, said]) => [name, outputFields.includes(name) ? value : said]) : undefined;
  return {
    ...asked,
    payload: { ...rest, tool: { ...(tool as object), output: value }, raw: own === undefined ? undefined : Object.fromEntries(own) },
  };
}
