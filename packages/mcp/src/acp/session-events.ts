import type { AgentRef, Bus } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { type Fields, fieldsOf, isNotification, isRequest, isResponse, type Message } from "../protocol/message.js";
import { toolOf } from "./acp-tool.js";
import { agentMethods, clientMethods } from "./methods.js";

/** Turns what passes between an editor and an agent into events. It changes nothing and remembers little. */
export class SessionEvents {
  readonly #bus: Bus;
  readonly #agent: AgentRef;
  /** The editor's requests whose answers matter. */
  readonly #asked = new Map<unknown, { readonly method: string; readonly params: Fields }>();
  /** Tool calls that run: an update has only what has changed. */
  readonly #calls = new Map<string, Fields>();

  constructor(bus: Bus, agent: AgentRef) {
    this.#bus = bus;
    this.#agent = agent;
  }

  fromEditor(message: Message): void {
    if (!isRequest(message)) return;
    const params = fieldsOf(message.params);
    const { session_new, session_load, session_prompt } = agentMethods;
    if ([session_new, session_load, session_prompt].some((method) => method === message.method) && this.#asked.size < MAX_KEPT)
      this.#asked.set(message.id, { method: message.method, params });
    if (message.method === session_prompt)
      void this.#bus.emit("prompt:submit", { ...this.#place(params.sessionId), prompt: textIn(params.prompt) });
  }

  fromAgent(message: Message): void {
    if (isResponse(message)) return this.#answered(message.id, fieldsOf(message.result));
    const params = fieldsOf(message.params);
    if (isNotification(message) && message.method === clientMethods.session_update)
      return this.#updated(params.sessionId, fieldsOf(params.update));
    if (isRequest(message) && message.method === clientMethods.fs_write_text_file)
      void this.#bus.emit("file:edited", { ...this.#place(params.sessionId), path: params.path });
    if (isRequest(message) && message.method === clientMethods.terminal_create)
      void this.#bus.emit("exec:terminal", {
        ...this.#place(params.sessionId),
        command: [wordOf(params.command), ...listOf(params.args).map((word) => shellWord(wordOf(word)))].join(" "),
      });
  }

  /** A call with all that the agent has said about it. A request for permission may have only a part. */
  known(sessionId: unknown, toolCall: Fields): Fields {
    return { ...this.#calls.get(keyOf(sessionId, toolCall)), ...said(toolCall) };
  }

  #answered(id: unknown, result: Fields): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (asked === undefined) return;
    if (asked.method === agentMethods.session_prompt)
      return void this.#bus.emit("turn:end", { ...this.#place(asked.params.sessionId), status: result.stopReason });
    const { cwd } = asked.params;
    void this.#bus.emit("session:start", {
      ...this.#place(result.sessionId ?? asked.params.sessionId),
      source: "acp",
      ...(typeof cwd === "string" && { cwd }),
    });
  }

  #updated(sessionId: unknown, update: Fields): void {
    const place = this.#place(sessionId);
    const { sessionUpdate: kind, content } = update;
    if (kind === "agent_message_chunk") return void this.#bus.emit("message:delta", { ...place, delta: textIn([content]) });
    if (kind === "agent_thought_chunk") return void this.#bus.emit("reasoning:delta", { ...place, delta: textIn([content]) });
    if (kind !== "tool_call" && kind !== "tool_call_update") return;
    const id = keyOf(sessionId, update);
    const call = this.known(sessionId, update);
    const hasEnded = call.status === "completed" || call.status === "failed";
    if (hasEnded) this.#calls.delete(id);
    else if (this.#calls.size < MAX_KEPT) this.#calls.set(id, call);
    const tool = toolOf(call);
    if (!hasEnded) return void this.#bus.emit("tool:progress", { ...place, tool, phase: call.status });
    const output = call.rawOutput ?? call.content;
    const status = call.status === "failed" ? "error" : "ok";
    void this.#bus.emit("tool:after", { ...place, tool: { ...tool, output, isError: status === "error" }, status });
  }

  #place(sessionId: unknown) {
    return { agent: this.#agent, ...(typeof sessionId === "string" && { session: { id: sessionId } }) };
  }
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** As JSON: an agent may send an id of which no text can be made. */
function keyOf(sessionId: unknown, { toolCallId }: Fields): string {
  return JSON.stringify([sessionId, toolCallId]);
}

/** A field without a value leaves what was said before. */
function said(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** An agent that never answers must not fill the memory. */
const MAX_KEPT = 10_000;

function textIn(blocks: unknown): string {
  return listOf(blocks)
    .map((block) => fieldsOf(block).text)
    .filter((text) => typeof text === "string")
    .join("\n");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
