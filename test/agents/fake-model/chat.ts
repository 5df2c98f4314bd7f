import { type Json, type ModelInterface, newId, objects, type Reply, sendJson, sendStream, type Turn, textOf } from "./conversation.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** OpenAI's Chat Completions: Copilot CLI. */
export const chat: ModelInterface = {
  path: /\/chat\/completions$/,
  read: ({ messages, tools }) => ({ turns: objects(messages).map(turnOf), hasTools: objects(tools).length > 0 }),
  write(reply, { body }, response) {
    const message = messageOf(reply);
    const finish_reason = "calls" in reply ? "tool_calls" : "stop";
    const common = { id: newId("chatcmpl"), created: 1, model: body.model };
    if (body.stream !== true)
      return sendJson(response, { ...common, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage });
    const chunk = (choices: object[], more = {}) => [undefined, { ...common, object: "chat.completion.chunk", choices, ...more }] as const;
    sendStream(response, [
      chunk([{ index: 0, delta: message, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      chunk([], { usage }),
      [undefined, "[DONE]"],
    ]);
  },
};

function turnOf({ role, content, tool_calls: calls }: Json): Turn {
  const text = textOf(content);
  if (role === "assistant" || role === "tool") return { role, text, calls: objects(calls).length };
  return { role: "user", text, calls: 0 };
}

function messageOf(reply: Reply): Json {
  if ("text" in reply) return { role: "assistant", content: reply.text };
  const calls = reply.calls.map(({ tool, input }, index) => ({
    index,
    id: newId("call"),
    type: "function",
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  return { role: "assistant", content: "", tool_calls: calls };
}
