import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLoginLimit } from "./auth/authenticate.js";
import { checkOrigin, createTcpHosts, type HostCheck, isSocketHost, originOf, rememberHost } from "./auth/host-guard.js";
import { asksForServiceWorker, unregisterServiceWorker } from "./dashboard/dashboard-files.js";
import { WORKER_PATH } from "./dashboard/installed-app.js";
import { answerOf, send, writeSecurityHeaders } from "./http/answer.js";
import { checkRequest } from "./http/check-request.js";
import { bindSocket } from "./lifecycle/bind-socket.js";
import { type ConnectionLimits, connectionLimits } from "./lifecycle/connection-limits.js";
import { createHeldServer, type HeldServer, type HeldServerOptions } from "./lifecycle/held-server.js";
import { hostAndPort } from "./lifecycle/listen-on-port.js";
import { coalesce } from "./live/coalesce.js";
import { createSseClients, type SseOptions } from "./live/sse-clients.js";
import { createMetrics } from "./metrics.js";
import type { HubParts } from "./parts.js";
import { type App, createApp } from "./routes/app.js";
import { createOpenApi } from "./routes/openapi.js";
import { routes } from "./routes/table.js";

export interface HttpServerOptions {
  /** How long headers, a whole request, the taking of an answer, and silence between two requests may last. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly answerTimeoutMs?: number;
  readonly keepAliveTimeoutMs?: number;
  /** How often that is looked after. */
  readonly checkEveryMs?: number;
  /** On each of the sockets it listens on. Default: a share of the descriptors that the process may have. */
  readonly maxConnections?: number;
  /** Wrong tokens a second before they are answered with 429. */
  readonly maxFailedLogins?: number;
  readonly stream?: SseOptions;
  /** Hears of what went wrong through no fault of a request's. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
}

export interface HttpServer {
  /** Listens on a Unix socket with these permissions, or one that is its owner's alone. `held`: one that listens there already. */
  listenSocket(path: string, mode?: number, held?: HeldServer): Promise<void>;
  /** Listens on TCP and gives the port. */
  listenTcp(host: string, port: number, held?: HeldServer): Promise<number>;
  /** Answers under way get this long when the server is closed. */
  letFinish(ms: number): void;
  /** Says goodbye to streams, lets answers under way go out for a second, and ends every connection. */
  close(reason?: "stopping" | "replaced"): Promise<void>;
  readonly connections: number;
  /** Every address it listens on over TCP, as a URL. */
  readonly urls: readonly string[];
  /** The routes, for tests. */
  readonly app: Pick<App, "routes">;
}

const GRACE_MS = 1_000;
const IDLE_LOOK_MS = 20;
const STREAM_WINDOW_MS = 20;

/** The hub over HTTP: one set of routes, on as many sockets as it is told to listen on. */
export function createHttpServer(parts: HubParts, options: HttpServerOptions = {}): HttpServer {
  const { answerTimeoutMs = 8_000, maxFailedLogins = 50, onError = warn } = options;
  const streams = createSseClients(options.stream);
  const metrics = createMetrics(parts, streams);
  const live = coalesce(parts.live, STREAM_WINDOW_MS);
  const logins = createLoginLimit(maxFailedLogins);
  const names: HostCheck[] = [];
  const server = {
    streams,
    live,
    isWrongTooOften: logins.failed,
    answersTo: (host: string) => names.some((isOwn) => isOwn(host.toLowerCase())),
    metrics: metrics.text,
    openApi: () => createOpenApi(routes, parts.version),
  };
  const app = createApp({ parts, server, logins, answerTimeoutMs, onError });
  const connections = new Set<HeldServer["connections"]>();
  const servers = new Set<Server>();
  const sockets = new Map<string, Server>();
  const urls: string[] = [];
  let graceMs = GRACE_MS;

  async function receive(incoming: IncomingMessage, outgoing: ServerResponse, isOwnHost: HostCheck): Promise<void> {
    writeSecurityHeaders(outgoing);
    try {
      checkRequest(incoming);
      checkOrigin(incoming, isOwnHost, parts.publicOrigin);
    } catch (error) {
      return send(incoming, outgoing, { answer: answerOf(error), timeoutMs: answerTimeoutMs });
    }
    rememberHost(incoming, parts.publicOrigin);
    const isOwnWorker = incoming.url === WORKER_PATH && originOf(incoming) === parts.publicOrigin;
    if (asksForServiceWorker(incoming) && !isOwnWorker)
      return send(incoming, outgoing, { answer: unregisterServiceWorker(), timeoutMs: answerTimeoutMs });
    await app.handle(incoming, outgoing);
  }

  return {
    app,
    urls,
    get connections() {
      return [...connections].reduce((sum, { open }) => sum + open, 0);
    },
    async listenSocket(path, mode = 0o600, given) {
      // The socket's file may be gone.
      sockets.get(path)?.close();
      const held = given ?? createHeldServer(serverOptions("http", options));
      const { server } = held;
      connections.add(held.connections);
      sockets.set(path, server);
      if (given === undefined) await bindSocket(server, path, mode);
      server.on("error", warn);
      servers.add(server);
      held.answerWith((incoming, outgoing) => void receive(incoming, outgoing, isSocketHost));
    },
    async listenTcp(host, port, given) {
      const held = given ?? createHeldServer(serverOptions("tcp", options));
      const { server } = held;
      connections.add(held.connections);
      if (given === undefined) await listening(server, () => server.listen({ host, port, exclusive: true }));
      server.on("error", warn);
      const { address, port: actual } = server.address() as AddressInfo;
      urls.push(`http://${hostAndPort(address, actual)}`);
      const hosts = createTcpHosts(host, actual, parts.dashboardNames);
      names.push(hosts);
      servers.add(server);
      held.answerWith((incoming, outgoing) => void receive(incoming, outgoing, hosts));
      return actual;
    },
    letFinish(ms) {
      graceMs = ms;
    },
    async close(reason = "stopping") {
      metrics.close();
      streams.close(reason);
      await Promise.all([...servers].map((server) => closed(server, graceMs)));
      servers.clear();
    },
  };
}

/** Each listener has a limit of its own: any user of the machine reaches the port, and must not shut out those on the socket. */
export function serverOptions(kind: Exclude<keyof ConnectionLimits, "line">, options: HttpServerOptions = {}): HeldServerOptions {
  const { headersTimeoutMs = 4_000, requestTimeoutMs = 8_000, keepAliveTimeoutMs = 5_000, checkEveryMs = 1_000 } = options;
  return {
    maxConnections: options.maxConnections ?? connectionLimits()[kind],
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: checkEveryMs,
    // Said by the guard, in our own words.
    requireHostHeader: false,
    noDelay: true,
  };
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    listen();
  });
}

function closed(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection that has got its answer stays open for the next request.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
