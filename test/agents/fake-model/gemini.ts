import {
  isObject,
  type Json,
  type ModelInterface,
  newId,
  objects,
  type Reply,
  sendJson,
  sendStream,
  type Turn,
  textOf,
} from "./conversation.ts";

/** Google's Gemini: Gemini CLI. */
export const gemini: ModelInterface = {
  path: /:(stream)?[gG]enerateContent$/,
  read: ({ contents, tools }) => ({ turns: objects(contents).flatMap(turnsOf), hasTools: objects(tools).length > 0 }),
  write(reply, { path }, response) {
    const whole = {
      candidates: [{ index: 0, content: { role: "model", parts: partsOf(reply) }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      responseId: newId("r"),
    };
    if (!path.includes(":stream")) return sendJson(response, whole);
    sendStream(response, [[undefined, whole]]);
  },
};

function turnsOf({ role, parts }: Json): Turn[] {
  if (role === "model")
    return [{ role: "assistant", text: textOf(parts), calls: objects(parts).filter((part) => isObject(part.functionCall)).length }];
  return objects(parts).map((part) => ({
    role: isObject(part.functionResponse) ? "tool" : "user",
    text: textOf(part.functionResponse ?? part),
    calls: 0,
  }));
}

function partsOf(reply: Reply): Json[] {
  if ("text" in reply) return [{ text: reply.text }];
  return reply.calls.map(({ tool, input }) => ({ functionCall: { id: newId("f"), name: tool, args: input } }));
}
