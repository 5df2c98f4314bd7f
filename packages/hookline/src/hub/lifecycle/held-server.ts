import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { noteConnection } from "../auth/peer.js";
import { guardConnections } from "../http/connection-guard.js";

export interface HeldServerOptions extends ServerOptions {
  readonly maxConnections: number;
  /** How often the time of requests is looked after. */
  readonly connectionsCheckingInterval: number;
}

type Receive = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A server that can listen before there is a hub to answer: requests wait until then, as long as their senders do. */
export interface HeldServer {
  readonly server: Server;
  readonly connections: { readonly open: number };
  /** From now on requests are answered, those that have waited first. */
  answerWith(receive: Receive): void;
}

export function createHeldServer({ maxConnections, ...options }: HeldServerOptions): HeldServer {
  const waiting: Parameters<Receive>[] = [];
  let receive: Receive = (...request) => void waiting.push(request);
  const server = createServer(options, (incoming, outgoing) => receive(incoming, outgoing));
  server.on("connection", noteConnection);
  const connections = guardConnections(server, { maxConnections, checkEveryMs: options.connectionsCheckingInterval });
  return {
    server,
    connections,
    answerWith(next) {
      receive = next;
      for (const request of waiting.splice(0)) next(...request);
    },
  };
}
