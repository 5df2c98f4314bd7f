import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Channel } from "../protocol/channel.js";
import { hasEnvelope, META, MODERN_CODE } from "../protocol/era.js";
import { ExchangeChannel } from "../protocol/exchange-channel.js";
import { MAX_MESSAGE_BYTES } from "../protocol/line-channel.js";
import { CODE, errorMessage, fieldsOf, isRequest, isTooDeep, type Message, type Request, TOO_DEEP } from "../protocol/message.js";
import { headerFault } from "../protocol/request-headers.js";
import { ServedChannel } from "../protocol/served-channel.js";

/** A client's session: the gateway behind it ends with it. */
interface Session {
  /** Answers one request over HTTP. `body`: the message in it, if it has one. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void>;
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

/** Clients over Streamable HTTP on loopback, each with a gateway of its own. A client of the modern era has no session: it is known by what it says about itself. */
export class HttpFront {
  readonly #options: HttpFrontOptions;
  readonly #server: Server;
  /** The newest last. */
  readonly #sessions = new Map<string, Session | Promise<Session>>();

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
    await Promise.all([...this.#sessions.values()].map(async (session) => (await session).stop()));
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
      const body = request.method === "POST" ? await readMessage(request) : undefined;
      if (body !== undefined && hasEnvelope(fieldsOf(body).params)) return await this.#modern(request, response, fieldsOf(body));
      const id = request.headers["mcp-session-id"];
      const session = typeof id === "string" ? await this.#use(id) : request.method === "POST" ? await this.#begin() : undefined;
      if (session === undefined) return refuse(response, 404, "There is no such session. Send initialize without a session id.");
      await session.handle(request, response, body);
    } catch (error) {
      if (error instanceof BadBody) return refuse(response, error.status, error.message);
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

  async #modern(request: IncomingMessage, response: ServerResponse, message: Message): Promise<void> {
    if (!isRequest(message)) return refuse(response, 400, "Over HTTP, revision 2026-07-28 has no notifications of clients.");
    const fault = headerFault(request.headers, message);
    if (fault !== undefined) return answer(response, 400, errorMessage(message.id, MODERN_CODE.headers, `Header mismatch: ${fault}.`));
    if (isTooDeep(message)) return answer(response, 400, errorMessage(message.id, CODE.invalid, `Hookline: this is ${TOO_DEEP}.`));
    const key = clientKey(message);
    const session = await (this.#use(key) ?? this.#add(key, this.#beginModern(key)));
    await session.handle(request, response, message);
  }

  async #beginModern(key: string): Promise<Session> {
    const channel = new ExchangeChannel();
    const gateway = await this.#options.serve(channel);
    return {
      handle: async (_, response, message) => channel.serve(message as Request, response),
      stop: async () => {
        this.#sessions.delete(key);
        await gateway.stop();
      },
    };
  }

  async #begin(): Promise<Session> {
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#add(id, Promise.resolve(session)),
    });
    const gateway = await this.#options.serve(new ServedChannel(transport));
    const session: Session = {
      handle: async (request, response, body) => {
        const cut = new AbortController();
        response.once("close", () => cut.abort());
        const headers = new Headers(Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]));
        const asked = new Request(`http://127.0.0.1${PATH}`, { method: request.method ?? "GET", headers, signal: cut.signal });
        await relay(await transport.handleRequest(asked, body === undefined ? {} : { parsedBody: body }), response);
        // Its first request was not an initialize.
        if (transport.sessionId === undefined) await session.stop();
      },
      stop: async () => {
        this.#sessions.delete(transport.sessionId ?? "");
        await gateway.stop();
      },
    };
    return session;
  }

  async #add(key: string, begun: Promise<Session>): Promise<Session> {
    this.#sessions.set(key, begun);
    begun.catch(() => this.#sessions.delete(key));
    const [oldest] = this.#sessions.size > MAX_SESSIONS ? this.#sessions.values() : [];
    await (await oldest)?.stop();
    return begun;
  }

  #use(key: string): Session | Promise<Session> | undefined {
    const session = this.#sessions.get(key);
    if (session === undefined) return undefined;
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    return session;
  }
}

/** Clients that say the same about themselves share a connection to the server, which sees no difference between them. */
function clientKey({ params }: Request): string {
  const meta = fieldsOf(fieldsOf(params)._meta);
  const said = JSON.stringify([meta[META.clientInfo], meta[META.capabilities]]);
  return `modern-${createHash("sha256").update(said).digest("hex")}`;
}

class BadBody extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function readMessage(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_MESSAGE_BYTES) throw new BadBody(413, `A message may have ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new BadBody(400, "The body is not JSON.");
  }
}

async function relay(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body === null) return void to.end();
  to.flushHeaders();
  const body = Readable.fromWeb(from.body as WebStream).on("error", () => to.destroy());
  to.once("close", () => body.destroy());
  body.pipe(to);
}

function isToken(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  answer(response, status, errorMessage(null, -32000, `Hookline: ${message}`));
}

function answer(response: ServerResponse, status: number, message: Message): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(message));
}
