import { type AgentDecision, type AgentDialect, type HookReply, type NativeEvent, PASS, type Translated } from "./definition.js";
import { answer, contextOf, NOTHING, reasonOf, refusal, toldWith } from "./hook-reply.js";
import { isObject } from "./native-payload.js";
import { outputText } from "./output-text.js";
import { isChangedBeside, toolRewrite } from "./rewrite.js";
import type { ToolTable } from "./tool-table.js";

interface PluginDialect {
  readonly events: { readonly [native: string]: NativeEvent };
  readonly tools: ToolTable;
}

/**
 * How Hookline answers its own plugins: a document with what to do. `block`: the reason of a deny; `endLoop`: and no further call. `input`: another input
 * of the tool. `prompt`: another prompt. `output`: another output. `context`: text for the model.
 */
export function pluginReply({ events, tools }: PluginDialect): AgentDialect["reply"] {
  return (native, decision, asked) => {
    const row = Object.hasOwn(events, native) ? events[native] : undefined;
    if (row === undefined) return NOTHING;
    if (row.event === "tool:before") return beforeTool(tools, decision, asked, row);
    if (row.event === "prompt:submit") return prompt(decision, asked, row);
    if (decision.output !== undefined && row.can.includes("replace"))
      return told(row, { ...decision, verdict: "pass" }, { output: outputText(decision.output.value) });
    if (row.can.includes("block") && (decision.verdict === "deny" || decision.verdict === "ask")) return blocked(decision);
    if (row.can.includes("block") && decision.modified && isChangedBeside(decision, asked, [])) return blocked(decision, UNTOLD);
    return told(row, decision);
  };
}

const UNTOLD = "A rule changed this event, and the agent accepts no change of it.";

function beforeTool(tools: ToolTable, decision: AgentDecision, asked: Translated, row: NativeEvent): HookReply {
  const { input, refused } = toolRewrite(tools, decision, asked);
  const { verdict } = decision;
  if (verdict === "deny" || verdict === "ask" || refused !== undefined) return blocked(decision, verdict === "deny" ? undefined : refused);
  return told(row, { ...PASS, injections: decision.injections }, input === undefined ? {} : { input });
}

function prompt(decision: AgentDecision, asked: Translated, row: NativeEvent): HookReply {
  const { verdict, modified, payload } = decision;
  const text = isObject(payload) ? payload.prompt : undefined;
  const isRewritten = modified && text !== asked.payload.prompt;
  const isUntold = modified && (isChangedBeside(decision, asked, ["prompt"]) || (isRewritten && (typeof text !== "string" || text === "")));
  if (verdict === "deny" || verdict === "ask" || isUntold)
    return blocked(
      decision,
      verdict === "deny" || !isUntold ? undefined : "A rule changed more than the text of this prompt, or removed all of it.",
    );
  return told(row, { ...PASS, injections: decision.injections }, isRewritten ? { prompt: text } : {});
}

/** An `ask` without an answer is a deny: these agents have no question of their own. */
function blocked(decision: AgentDecision, other?: string): HookReply {
  const reason = other ?? reasonOf(decision);
  return refusal(reason, { block: reason, ...(decision.verdict === "deny" && decision.endLoop && { endLoop: true }) });
}

function told({ can }: NativeEvent, decision: AgentDecision, document: object = {}): HookReply {
  const context = can.includes("inject") ? (decision.verdict === "deny" ? toldWith(decision) : contextOf(decision.injections)) : undefined;
  const whole = { ...document, ...(context !== undefined && { context }) };
  return Object.keys(whole).length === 0 ? NOTHING : answer(whole);
}
