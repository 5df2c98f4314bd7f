import { type Json, type ModelInterface, newId, objects, type Reply, sendJson, sendStream, type Turn, textOf } from "./conversation.ts";

const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** Anthropic's Messages: Claude Code. */
export const anthropic: ModelInterface = {
  path: /\/messages$/,
  read: ({ messages, tools }) => ({ turns: objects(messages).flatMap(turnsOf), hasTools: objects(tools).length > 0 }),
  write(reply, { body }, response) {
    const content = contentOf(reply);
    const stop = { stop_reason: "calls" in reply ? "tool_use" : "end_turn", stop_sequence: null };
    const message = { id: newId("msg"), type: "message", role: "assistant", model: body.model, usage };
    if (body.stream !== true) return sendJson(response, { ...message, content, ...stop });
    const start = { ...message, content: [], stop_reason: null, stop_sequence: null };
    const events = [
      { type: "message_start", message: start },
      ...content.flatMap(blockEvents),
      { type: "message_delta", delta: stop, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ];
    sendStream(
      response,
      events.map((event) => [event.type, event] as const),
    );
  },
};

function turnsOf({ role, content }: Json): Turn[] {
  const parts = objects(content);
  if (role === "assistant") return [{ role, text: textOf(content), calls: parts.filter(({ type }) => type === "tool_use").length }];
  if (parts.length === 0) return [{ role: "user", text: textOf(content), calls: 0 }];
  return parts.map((part) => ({ role: part.type === "tool_result" ? "tool" : "user", text: textOf(part), calls: 0 }));
}

type Block = { readonly type: string; readonly [key: string]: unknown };

function contentOf(reply: Reply): Block[] {
  if ("text" in reply) return [{ type: "text", text: reply.text }];
  return reply.calls.map(({ tool, input }) => ({ type: "tool_use", id: newId("toolu"), name: tool, input }));
}

function blockEvents(block: Block, index: number): Block[] {
  const { input, text, ...rest } = block;
  const isText = block.type === "text";
  const delta = isText ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: JSON.stringify(input) };
  return [
    { type: "content_block_start", index, content_block: isText ? { ...rest, text: "" } : { ...rest, input: {} } },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
