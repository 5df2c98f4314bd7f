import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server that answers as the chat services do: Discord and Telegram name the message that they made. */
export async function startMessageReceiver() {
  const requests: ReceivedRequest[] = [];
  const state = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url: path = "", headers } = request;
    if (state.status !== 200) return void response.writeHead(state.status).end();
    requests.push({ method, path, headers, body: Buffer.concat(chunks).toString("utf8") });
    const answer = path.includes("/bot") ? { ok: true, result: { message_id: requests.length } } : { id: String(1_000 + requests.length) };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** What arrived at this path, as JSON. */
    at: (path: string) => requests.filter((request) => request.path.startsWith(path)).map(({ body }) => JSON.parse(body)),
    answer(status: number): void {
      state.status = status;
    },
  };
}
