import { errorText } from "@hookline/core/internal/machine";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetPart } from "hookline/internal/fleet";
import { type ConnectOptions, connectServer, type ServerAccess } from "./connect.js";
import { followLink, type Link } from "./link.js";

/** A server that does not answer must not keep a hub from stopping. */
const DRAIN_MS = 2000;

/** A part of a hub that begins when the server is there, and can be closed before that. */
export function whenConnected(
  access: ServerAccess,
  options: Pick<ConnectOptions, "name" | "fleetSize"> & Required<Pick<ConnectOptions, "onProblem">>,
  begin: (connection: NatsConnection, link: Link) => FleetPart | Promise<FleetPart>,
): FleetPart {
  const { onProblem } = options;
  const stop = new AbortController();
  let part: FleetPart | undefined;
  let connection: NatsConnection | undefined;
  let link: Link | undefined;
  let error: string | undefined;

  async function run(): Promise<void> {
    try {
      connection = await connectServer(access, { ...options, forever: true, signal: stop.signal });
      link = followLink(connection);
      if (!stop.signal.aborted) part = await begin(connection, link);
    } catch (cause) {
      error = errorText(cause);
      if (!stop.signal.aborted) onProblem(`This hub takes no part in its fleet: ${error}`);
    }
  }

  const running = run();
  return {
    status: () => ({ isConnected: link?.isUp === true, ...(error !== undefined && { error }), ...part?.status() }),
    hosts: () => part?.hosts?.() ?? [],
    questions: () => part?.questions?.() ?? [],
    async close() {
      stop.abort();
      await running;
      await part?.close();
      if (connection === undefined || connection.isClosed()) return;
      if (link?.isUp === true) await Promise.race([connection.drain(), new Promise((done) => setTimeout(done, DRAIN_MS).unref())]);
      await connection.close();
    },
  };
}
