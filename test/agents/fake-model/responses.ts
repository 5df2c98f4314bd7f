import { type Json, type ModelInterface, newId, objects, type Reply, sendJson, sendStream, type Turn, textOf } from "./conversation.ts";

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** OpenAI's Responses: Codex. */
export const responses: ModelInterface = {
  path: /\/responses$/,
  read: ({ input, tools }) => ({ turns: turnsOf(input), hasTools: objects(tools).length > 0 }),
  write(reply, { body }, response) {
    const output = itemsOf(reply);
    const whole = { id: newId("resp"), object: "response", status: "completed", model: body.model, output, usage };
    if (body.stream !== true) return sendJson(response, whole);
    const events = [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [], usage: null } },
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: whole },
    ];
    sendStream(
      response,
      events.map((event, sequence_number) => [event.type, { sequence_number, ...event }] as const),
    );
  },
};

/** Each call is an item of its own; calls that were made at once stand one after the other. */
function turnsOf(input: unknown): Turn[] {
  const turns: Turn[] = [];
  for (const item of objects(input)) {
    const last = turns.at(-1);
    const isCall = String(item.type).endsWith("_call");
    if (isCall && last?.role === "assistant") turns[turns.length - 1] = { ...last, calls: last.calls + 1 };
    else turns.push(turnOf(item, isCall));
  }
  return turns;
}

function turnOf(item: Json, isCall: boolean): Turn {
  if (isCall) return { role: "assistant", text: "", calls: 1 };
  if (String(item.type).endsWith("_output")) return { role: "tool", text: textOf(item.output), calls: 0 };
  return { role: item.role === "assistant" ? "assistant" : "user", text: textOf(item.content), calls: 0 };
}

function itemsOf(reply: Reply): Json[] {
  if ("text" in reply) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    return [{ type: "message", id: newId("msg"), role: "assistant", status: "completed", content }];
  }
  return reply.calls.map(({ tool, input, namespace }) => ({
    type: "function_call",
    id: newId("fc"),
    call_id: newId("call"),
    name: tool,
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(input),
    status: "completed",
  }));
}
