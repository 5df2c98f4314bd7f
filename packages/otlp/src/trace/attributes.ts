import type { Envelope } from "@hookline/core/sinks";
import { GEN_AI, HOOKLINE, OPERATION, providerOf } from "../names/gen-ai.js";
import { type Attributes, attributes, wellFormed } from "./span-record.js";
import type { Told } from "./told.js";

const MAX_CONTENT = 32_768;

/** What every span has that an event opens. */
export function commonAttributes(envelope: Envelope, told: Told): Attributes {
  return attributes({
    [GEN_AI.conversation]: envelope.session?.id,
    "session.id": envelope.session?.id,
    [GEN_AI.agentName]: told.agentName,
    [GEN_AI.agentId]: told.agentId,
    [HOOKLINE.app]: envelope.source.app,
    [HOOKLINE.eventId]: envelope.id,
    ...(envelope.decision !== undefined && {
      [HOOKLINE.verdict]: envelope.decision.verdict,
      [HOOKLINE.decidedBy]: envelope.decision.by,
    }),
  });
}

export function toolAttributes({ tool }: Told, withContent: boolean): Attributes {
  return {
    ...attributes({
      [GEN_AI.operation]: OPERATION.tool,
      [GEN_AI.toolName]: tool.name,
      [GEN_AI.toolCallId]: tool.callId,
      [GEN_AI.toolType]: tool.server === undefined && !tool.name.startsWith("mcp__") ? "function" : "extension",
    }),
    ...content(withContent, { [GEN_AI.toolArguments]: tool.input, [GEN_AI.toolResult]: tool.output }),
  };
}

export function modelAttributes(told: Told, withContent: boolean): Attributes {
  return { ...attributes({ [GEN_AI.operation]: OPERATION.model }), ...requestAttributes(told), ...messages(told, withContent) };
}

export function agentAttributes(told: Told, withContent: boolean): Attributes {
  return { ...attributes({ [GEN_AI.operation]: OPERATION.agent }), ...requestAttributes(told), ...messages(told, withContent) };
}

function requestAttributes({ model, provider, usage }: Told): Attributes {
  return attributes({
    [GEN_AI.provider]: providerOf(provider, model),
    [GEN_AI.requestModel]: model,
    [GEN_AI.inputTokens]: usage.inputTokens,
    [GEN_AI.cacheReadTokens]: usage.cacheReadTokens,
    [GEN_AI.cacheWriteTokens]: usage.cacheWriteTokens,
    [GEN_AI.outputTokens]: usage.outputTokens,
    [HOOKLINE.costUsd]: usage.costUsd,
  });
}

function messages({ prompt, message }: Told, withContent: boolean): Attributes {
  const said = (role: string, text: string | undefined) => text && [{ role, parts: [{ type: "text", content: text }] }];
  return content(withContent, { [GEN_AI.inputMessages]: said("user", prompt), [GEN_AI.outputMessages]: said("assistant", message) });
}

/** As JSON text, which every receiver takes. */
function content(withContent: boolean, values: { readonly [name: string]: unknown }): Attributes {
  if (!withContent) return {};
  const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(known.map(([name, value]) => [name, wellFormed(JSON.stringify(value).slice(0, MAX_CONTENT))]));
}
