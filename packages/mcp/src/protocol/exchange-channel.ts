import type { ServerResponse } from "node:http";
import type { Channel, ChannelListener, SendOptions } from "./channel.js";
import { META, MODERN_CODE } from "./era.js";
import { CODE, fieldsOf, isResponse, type Message, notificationMessage, type Request, type RequestId } from "./message.js";

/** One request over HTTP, and what its answer goes to. */
interface Exchange {
  /** As the client wrote them: clients choose them independently of one another. */
  readonly id: RequestId;
  readonly progressToken: unknown;
  readonly response: ServerResponse;
}

/** A stream on which nothing was said for so long gets a comment, so that nothing on the way closes it. */
const KEEP_ALIVE_MS = 15_000;

const STREAM = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };

/** Errors that the modern era also says by the status. */
const STATUS: { readonly [code: number]: number } = {
  [CODE.noMethod]: 404,
  [MODERN_CODE.headers]: 400,
  [MODERN_CODE.capability]: 400,
  [MODERN_CODE.version]: 400,
};

/** Clients of the modern era over HTTP: each request has a connection, on which its notifications and its answer go. */
export class ExchangeChannel implements Channel {
  readonly #open = new Map<RequestId, Exchange>();
  #listener: ChannelListener | undefined;
  #next = 1;

  async open(listener: ChannelListener): Promise<void> {
    this.#listener = listener;
  }

  /** Serves one request. */
  serve(request: Request, response: ServerResponse): void {
    const id = `exchange-${this.#next++}`;
    const params = fieldsOf(request.params);
    const meta = fieldsOf(params._meta);
    this.#open.set(id, { id: request.id, progressToken: meta.progressToken, response });
    const alive = setInterval(() => response.headersSent && response.write(": alive\n\n"), KEEP_ALIVE_MS).unref();
    response.once("close", () => {
      clearInterval(alive);
      // To hang up is to cancel.
      if (this.#open.delete(id))
        this.#listener?.message(notificationMessage("notifications/cancelled", { requestId: id, reason: "The client hung up." }));
    });
    const token = meta.progressToken === undefined ? {} : { progressToken: id };
    this.#listener?.message({ ...request, id, params: { ...params, _meta: { ...meta, ...token } } });
  }

  async send(message: Message, { related }: SendOptions = {}): Promise<void> {
    const id = isResponse(message) ? message.id : related;
    const exchange = id === undefined ? undefined : this.#open.get(id);
    // Its client has hung up, or it is about no request: there is no place for it.
    if (id === undefined || exchange === undefined) return;
    if (isResponse(message)) this.#end(id, exchange, message);
    else await this.#write(exchange, restored(message, exchange));
  }

  async close(): Promise<void> {
    for (const { response } of this.#open.values()) response.end();
    this.#open.clear();
    this.#listener?.closed("The gateway has ended.");
  }

  #end(id: RequestId, exchange: Exchange, message: Message): void {
    this.#open.delete(id);
    const { response } = exchange;
    const answer = JSON.stringify({ ...restored(message, exchange), id: exchange.id });
    if (response.headersSent) return void response.end(`event: message\ndata: ${answer}\n\n`);
    const status = STATUS[Number(fieldsOf(message.error).code)] ?? 200;
    response.writeHead(status, { "content-type": "application/json" }).end(answer);
  }

  async #write({ response }: Exchange, message: Message): Promise<void> {
    if (!response.headersSent) response.writeHead(200, STREAM);
    if (response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)) return;
    await new Promise<void>((resolve) => {
      for (const event of ["drain", "close"]) response.once(event, () => resolve());
    });
  }
}

/** With the client's own token and id, where they are repeated. */
function restored(message: Message, { id, progressToken }: Exchange): Message {
  const field = message.method === undefined ? "result" : "params";
  const inside = fieldsOf(message[field]);
  const meta = fieldsOf(inside._meta);
  const token = message.method === "notifications/progress" ? { progressToken } : {};
  const subscription = META.subscription in meta ? { _meta: { ...meta, [META.subscription]: id } } : {};
  return message[field] === undefined ? message : { ...message, [field]: { ...inside, ...token, ...subscription } };
}
