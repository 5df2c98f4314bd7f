import { randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Channel } from "../protocol/channel.js";
import { ServedChannel } from "../protocol/served-channel.js";

/** A client's session: the gateway behind it ends with it. */
interface Session {
  readonly transport: StreamableHTTPServerTransport;
  readonly stop: () => Promise<void>;
}

export interface HttpFrontOptions {
  readonly port: number;
  /** Clients send it as `Authorization: Bearer …`: other users of this machine reach the port, too. */
  readonly token: string;
  /** Serves a client over this channel. */
  readonly serve: (client: Channel) => Promise<{ stop(): Promise<void> }>;
}

const PATH = "/mcp";
/** With so many sessions, the one that was used longest ago ends: clients that crash do not end theirs. */
const MAX_SESSIONS = 32;

/** Clients over Streamable HTTP on loopback, each with a gateway of its own. */
export class HttpFront {
  readonly #options: HttpFrontOptions;
  readonly #server: Server;
  /** The newest last. */
  readonly #sessions = new Map<string, Session>();

  constructor(options: HttpFrontOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  /** Listens, and gives the URL for clients. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#options.port, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${this.#port}${PATH}`;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ stop }) => stop()));
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.#refusal(request);
    if (refusal !== undefined) return refuse(response, ...refusal);
    try {
      const id = request.headers["mcp-session-id"];
      const session = typeof id === "string" ? this.#use(id) : request.method === "POST" ? await this.#begin() : undefined;
      if (session === undefined) return refuse(response, 404, "There is no such session. Send initialize without a session id.");
      await session.transport.handleRequest(request, response);
      // Its first request was not an initialize.
      if (session.transport.sessionId === undefined) await session.stop();
    } catch (error) {
      if (!response.headersSent) refuse(response, 500, error instanceof Error ? error.message : String(error));
    }
  }

  /** Only a client that has the token, and no web page: a browser names the page's origin, or a host of the page's own. */
  #refusal({ headers, url }: IncomingMessage): readonly [number, string] | undefined {
    if (headers.host !== `127.0.0.1:${this.#port}` && headers.host !== `localhost:${this.#port}`)
      return [403, `The host must be 127.0.0.1:${this.#port}.`];
    if (headers.origin !== undefined) return [403, "Web pages may not use this server."];
    if (!isToken(headers.authorization, this.#options.token)) return [401, "Send the token as Authorization: Bearer <token>."];
    return url === PATH ? undefined : [404, `Use the path ${PATH}.`];
  }

  async #begin(): Promise<Session> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
    });
    const gateway = await this.#options.serve(new ServedChannel(transport));
    const session: Session = {
      transport,
      stop: async () => {
        this.#sessions.delete(transport.sessionId ?? "");
        await gateway.stop();
      },
    };
    const [oldest] = this.#sessions.size >= MAX_SESSIONS ? this.#sessions.values() : [];
    await oldest?.stop();
    return session;
  }

  #use(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }
}

function isToken(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: `Hookline: ${message}` } }));
}
