import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, type RequestPermissionRequest } from "@agentclientprotocol/sdk";

// An ACP agent that asks for the permission in its prompt, and says what the answer was.
const stream = ndJsonStream(
  Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
  Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
);
agent({ name: "acp-agent" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: "s1" }))
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const [block] = prompt;
    const asked = JSON.parse(block?.type === "text" ? block.text : "{}") as Omit<RequestPermissionRequest, "sessionId">;
    const { toolCall } = asked;
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "tool_call", title: "Run", ...toolCall, kind: toolCall.kind ?? "other", status: "pending" } as never,
    });
    const { outcome } = await client.request(methods.client.session.requestPermission, { sessionId, ...asked });
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "tool_call_update", toolCallId: toolCall.toolCallId, status: "completed" },
    });
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: JSON.stringify(outcome) } },
    });
    return { stopReason: "end_turn" };
  })
  .connect(stream);
