// LangChain and LangGraph agents. Their types are not imported: only what is used of them is named here.
import type { Bus } from "../../bus/bus.js";
import type { Usage } from "../../catalog/payloads.js";
import { usageOf } from "../../catalog/usage.js";
import { type AdapterOptions, AdapterSession, failureText, isRecord, plainView } from "../_session/adapter-session.js";

// biome-ignore lint/suspicious/noExplicitAny: the fields of the SDK's class depend on its version
type MessageClass = new (fields: any) => object;

/** Options of `guardLangChain`. */
export interface LangChainOptions extends AdapterOptions {
  /** The class `ToolMessage` of the `langchain` that your agent uses: the answer to a denied call. */
  readonly ToolMessage: MessageClass;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's requests depend on the state of each agent
type Request = any;
// biome-ignore lint/suspicious/noExplicitAny: as above
type Answer = any;
type Handler = (request: Request) => Answer;

/** What `createMiddleware` takes. */
export interface LangChainMiddleware {
  readonly name: string;
  readonly beforeAgent: () => Promise<undefined>;
  readonly afterAgent: () => Promise<undefined>;
  readonly wrapModelCall: (request: Request, handler: Handler) => Promise<Answer>;
  readonly wrapToolCall: (request: Request, handler: Handler) => Promise<Answer>;
}

/**
 * A middleware that puts a bus around the tools and model calls of `createAgent`.
 *
 * `createAgent({ model, tools, middleware: [createMiddleware(guardLangChain(bus, { ToolMessage }))] })`
 */
export function guardLangChain(bus: Bus, options: LangChainOptions): LangChainMiddleware {
  const { ToolMessage } = options;
  const session = new AdapterSession(bus, options);
  return {
    name: "Hookline",
    async beforeAgent() {
      await session.started();
      return undefined;
    },
    async afterAgent() {
      await session.finished();
      return undefined;
    },
    async wrapModelCall(request, handler) {
      await session.modelStarts(modelName(request.model));
      const notes = session.takeNotes();
      const messages = notes === undefined ? request.messages : [...request.messages, { role: "user", content: notes }];
      let message: unknown;
      try {
        message = await handler({ ...request, messages });
      } catch (error) {
        await session.modelFailed(error);
        throw error;
      }
      await session.modelEnded({ model: modelName(request.model), usage: usageIn(message) });
      return message;
    },
    async wrapToolCall(request, handler) {
      const { name, id, args } = request.toolCall;
      let message: unknown;
      let before: unknown;
      const run = await session.run({ name, callId: id, input: args, signal: request.runtime?.signal }, async (input) => {
        message = await handler({ ...request, toolCall: { ...request.toolCall, args: input } });
        before = isToolMessage(message) ? message.content : await plainView(message);
        return before;
      });
      if (run.status === "error") throw run.error;
      if (run.status !== "ok") return new ToolMessage({ content: failureText(run), tool_call_id: id, name, status: "error" });
      if (run.output === before) return message;
      // A tool may return a command for the graph instead of a message. Where a hook replaced it, the model must not get what was in it.
      if (!isToolMessage(message)) return new ToolMessage({ content: textOf(run.output), tool_call_id: id, name });
      const { artifact, status } = message as { readonly artifact?: unknown; readonly status?: unknown };
      return new ToolMessage({ content: run.output, tool_call_id: id, name, artifact, status });
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isToolMessage(value: unknown): value is { readonly content: unknown } {
  return isRecord(value) && "tool_call_id" in value && "content" in value;
}

function modelName(model: unknown): string | undefined {
  const { modelName, model: name } = (model ?? {}) as { readonly modelName?: unknown; readonly model?: unknown };
  return [modelName, name].find((value) => typeof value === "string") as string | undefined;
}

function usageIn(message: unknown): Usage {
  const raw = isRecord(message) && isRecord(message.usage_metadata) ? message.usage_metadata : {};
  const { cache_read: cacheRead, cache_creation: cacheWrite } = isRecord(raw.input_token_details) ? raw.input_token_details : {};
  const { reasoning } = isRecord(raw.output_token_details) ? raw.output_token_details : {};
  return usageOf({ input: raw.input_tokens, output: raw.output_tokens, cacheRead, cacheWrite, reasoning, isCacheInInput: true });
}
