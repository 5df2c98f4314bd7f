import type { Socket } from "node:net";
import type { ByeReason } from "@hookline/core/internal/wire";
import { bindSocket } from "../lifecycle/bind-socket.js";
import { connectionLimits } from "../lifecycle/connection-limits.js";
import type { HubParts, Sources } from "../parts.js";
import { ForwarderConnection } from "./forwarder-connection.js";
import { createHeldLine, type HeldLine } from "./held-line.js";
import { createSequences } from "./sequence.js";

const LOGIN_MS = 5_000;

export interface ConnectionServer extends Sources {
  /** `held`: a server that listens there already. */
  listen(path: string, mode?: number, held?: HeldLine): Promise<void>;
  /** The folder that a process works in. */
  cwdOf(instance: string): string | undefined;
  hasInstance(instance: string): boolean;
  /** Whether a writer of the spool is on the line. */
  hasWriter(id: string): boolean;
  /** Every forwarder has to reconnect: with the new token, or to the next hub. */
  dismiss(reason: ByeReason): void;
  close(): Promise<void>;
}

/** Listens for forwarders on `line.sock`. */
export function createConnectionServer(
  parts: Pick<HubParts, "instance" | "ingest" | "gates" | "tokens" | "approvals" | "effects">,
  { loginMs = LOGIN_MS, maxConnections = connectionLimits().line }: { readonly loginMs?: number; readonly maxConnections?: number } = {},
): ConnectionServer {
  const sessions = new Set<ForwarderConnection>();
  const sockets = new Set<Socket>();
  const sequences = createSequences();
  const ownerOf = (instance: string): string | undefined =>
    [...sessions].find(({ source }) => source?.instance === instance)?.origin?.owner;
  let line: HeldLine | undefined;

  function take(socket: Socket, onLogin: () => void): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const onOver = (session: ForwarderConnection): void => void sessions.delete(session);
    sessions.add(new ForwarderConnection(socket, { parts, sequences, loginMs, ownerOf, onLogin, onOver }));
  }

  const stopWatching = parts.gates.onChange(() => {
    const gates = parts.gates.list();
    for (const session of sessions) if (session.source !== undefined) session.tell({ type: "gates", gates });
  });

  function dismiss(reason: ByeReason): void {
    for (const session of [...sessions]) session.bye(reason);
  }

  return {
    list: () => [...sessions].flatMap(({ row }) => row ?? []),
    handlersOf: async (instance) => [...sessions].find(({ source }) => source?.instance === instance)?.handlers(),
    cwdOf: (instance) => [...sessions].find(({ source }) => source?.instance === instance)?.cwd,
    hasInstance: (instance) => [...sessions].some(({ source }) => source?.instance === instance),
    hasWriter: (id) => [...sessions].some(({ spool }) => spool === id),
    dismiss,
    async listen(path, mode = 0o600, held) {
      // The socket's file may be gone. Connections stay.
      line?.server.close();
      line = held ?? createHeldLine(maxConnections);
      const { server, share } = line;
      if (held === undefined) await bindSocket(server, path, mode);
      // A connection that cannot be taken, for want of descriptors, must not end the hub.
      server.on("error", () => {});
      line.answerWith((socket) => take(socket, () => share.speaks(socket)));
    },
    async close() {
      stopWatching();
      dismiss("stopping");
      const closed = new Promise<void>((resolve) => (line === undefined ? resolve() : void line.server.close(() => resolve())));
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, 500);
      await closed;
      clearTimeout(late);
    },
  };
}
