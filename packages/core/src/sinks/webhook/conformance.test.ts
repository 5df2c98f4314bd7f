import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createWebhookSink, decodeEnvelope, type Envelope } from "@hookline/core/sinks";
import { Webhook } from "standardwebhooks";
import { sinkConformance } from "../../../../../test/conformance/sink-conformance.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

for (const mode of ["batch", "single"] as const)
  for (const encoding of ["hookline", "cloudevents"] as const)
    sinkConformance(`webhook (${mode}, ${encoding})`, async () => {
      const receiver = await startReceiver();
      const sink = createWebhookSink({ url: receiver.url, secret, mode, encoding, closeTimeoutMs: 100 });
      return {
        sink,
        received: async () => receiver.envelopes,
        breakPeer: () => receiver.behave("broken"),
        healPeer: () => receiver.behave("well"),
        slowPeer: () => receiver.behave("slow"),
        dispose: receiver.close,
      };
    });

type Behaviour = "well" | "broken" | "slow";

/** Takes only what the reference implementation of Standard Webhooks verifies. */
async function startReceiver() {
  const envelopes: Envelope[] = [];
  const sockets = new Set<Socket>();
  let behaviour: Behaviour = "well";

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (behaviour === "slow") return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (behaviour === "broken") return void response.writeHead(503).end();
    const verified = new Webhook(secret).verify(Buffer.concat(chunks), request.headers as Record<string, string>);
    envelopes.push(...[verified].flat().map(envelopeIn));
    response.writeHead(204).end();
  }
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    envelopes,
    behave(next: Behaviour) {
      behaviour = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function envelopeIn(item: unknown): Envelope {
  const event = item as { readonly data?: unknown };
  return decodeEnvelope(JSON.stringify(event.data ?? event));
}
