import { createServer, type Server, type Socket } from "node:net";
import { noteConnection } from "../auth/peer.js";
import { ConnectionShare } from "./connection-share.js";

/** A server for forwarders that can listen before there is a hub to answer: connections wait until then. */
export interface HeldLine {
  readonly server: Server;
  readonly share: ConnectionShare<Socket>;
  answerWith(receive: (socket: Socket) => void): void;
}

export function createHeldLine(maxConnections: number): HeldLine {
  const share = new ConnectionShare<Socket>(maxConnections);
  const waiting: Socket[] = [];
  let receive = (socket: Socket): void => {
    socket.on("error", () => {});
    waiting.push(socket);
  };
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    noteConnection(socket);
    socket.once("close", () => share.left(socket));
    const left = share.take(socket);
    left?.destroy();
    if (left !== socket) receive(socket);
  });
  return {
    server,
    share,
    answerWith(next) {
      receive = (socket) => {
        next(socket);
        socket.resume();
      };
      for (const socket of waiting.splice(0)) receive(socket);
    },
  };
}
