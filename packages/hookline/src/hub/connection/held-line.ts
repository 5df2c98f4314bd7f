import { createServer, type Server, type Socket } from "node:net";
import { noteConnection } from "../auth/peer.js";

/** A server for forwarders that can listen before there is a hub to answer: connections wait until then. */
export interface HeldLine {
  readonly server: Server;
  answerWith(receive: (socket: Socket) => void): void;
}

export function createHeldLine(): HeldLine {
  const waiting: Socket[] = [];
  let receive = (socket: Socket): void => {
    socket.on("error", () => {});
    waiting.push(socket);
  };
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    noteConnection(socket);
    receive(socket);
  });
  return {
    server,
    answerWith(next) {
      receive = (socket) => {
        next(socket);
        socket.resume();
      };
      for (const socket of waiting.splice(0)) receive(socket);
    },
  };
}
