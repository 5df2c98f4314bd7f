import { randomUUID } from "node:crypto";
import type { AgentRef, Bus } from "@hookline/core";
import type { HubConnection } from "@hookline/core/forward";
import type { Channel, ChannelFault } from "../protocol/channel.js";
import {
  CODE,
  errorMessage,
  type Fields,
  fieldsOf,
  isNotification,
  isRequest,
  isResponse,
  type Message,
  type Notification,
  notificationMessage,
  type Request,
  resultMessage,
} from "../protocol/message.js";
import type { PinnedTexts } from "../state/pinned-texts.js";
import type { ServerStore } from "../state/server-record.js";
import { Flow } from "./flow.js";
import { GuardedCalls } from "./guarded-calls.js";
import { guardedMethods } from "./guarded-methods.js";
import { hasList, helloFor, LISTS, safeHello } from "./hello.js";
import { KnownTools } from "./known-tools.js";
import { lookAlikeIn } from "./look-alikes.js";
import { failedResult } from "./results.js";
import { ServerRequests } from "./server-requests.js";
import { goneMessage, Upstream } from "./upstream.js";

export interface GatewayOptions {
  /** The server's name, as part of its tools' names. */
  readonly server: string;
  readonly client: Channel;
  /** A new connection to the server. */
  readonly connect: () => Channel;
  readonly bus: Bus;
  readonly line: HubConnection;
  readonly store: ServerStore;
  readonly pins: PinnedTexts;
  /** Tells of something that is wrong: in the client's log, in the record and for `hookline doctor`. */
  readonly fault: (text: string) => void;
}

/** The members of JSON-RPC. */
const MEMBERS = ["jsonrpc", "id", "method", "params", "result", "error"];

/** What the server must be told again after a restart. */
const REPLAYED: ReadonlyMap<string, string> = new Map([
  ["logging/setLevel", "level"],
  ["resources/subscribe", "uri"],
]);

/** One client and one server. Calls go through the guards; everything else passes as it is. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #upstream: Upstream;
  readonly #calls: GuardedCalls;
  readonly #tools: KnownTools;
  readonly #questions: ServerRequests;
  readonly #toClient: Flow;
  /** Answers to what the server asks. */
  readonly #toServer: Flow;
  readonly #session = { id: `mcp-${randomUUID()}` };
  readonly #running = new Map<unknown, AbortController>();
  readonly #replayed = new Map<string, Fields>();
  #nextCall = 1;
  #agent: AgentRef = {};
  #asked = "";
  #told: Fields | undefined;
  #close: () => void = () => {};
  /** Resolves when the client is gone. */
  readonly done = new Promise<void>((resolve) => {
    this.#close = resolve;
  });

  constructor(options: GatewayOptions) {
    const { server, client, connect, bus, line, pins } = options;
    this.#options = options;
    this.#upstream = new Upstream({
      connect,
      onMessage: (message) => this.#fromServer(message),
      onFault: (fault) => this.#fault(`The MCP server "${server}" sent ${fault.what}.`),
      onReady: (hello) => this.#ready(hello),
      onLost: (why) => this.#lost(why),
    });
    this.#toClient = new Flow((message) => client.send(message), this.#upstream);
    const answers = new Flow((message) => this.#upstream.tell(message), this.#upstream);
    this.#toServer = answers;
    this.#calls = new GuardedCalls({ bus, line, server, session: this.#session, agent: () => this.#agent });
    this.#tools = new KnownTools(this.#upstream, pins);
    this.#questions = new ServerRequests({
      toClient: (message) => this.#toClient.send(message),
      toServer: (message) => answers.send(message),
      onFault: (what) => this.#fault(`The MCP server "${server}" or its client sent ${what}.`),
    });
  }

  async start(): Promise<void> {
    await this.#options.client.open({
      message: (message) => this.#fromClient(message),
      fault: (fault) => this.#clientFault(fault),
      failed: () => {},
      closed: () => this.#close(),
    });
  }

  async stop(): Promise<void> {
    for (const running of this.#running.values()) running.abort(new Error("The client is gone."));
    await this.#upstream.close();
    if (this.#told !== undefined) await this.#options.bus.emit("session:end", { session: this.#session, reason: "client_closed" });
    await this.#options.client.close();
    this.#close();
  }

  #fromClient(message: Message): void {
    const fault = lookAlikeIn(message, MEMBERS);
    if (fault !== undefined) this.#clientFault({ what: `a message that can be read in two ways: ${fault}` });
    else if (isRequest(message)) void this.#request(message);
    else if (isNotification(message)) this.#notification(message);
    else if (isResponse(message)) this.#questions.answer(message);
    else this.#clientFault({ what: "a message that is not JSON-RPC" });
  }

  async #request(request: Request): Promise<void> {
    const { id } = request;
    if (this.#running.has(id)) return this.#toClient.send(errorMessage(id, CODE.invalid, "This id is still in use."));
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      const answer = await this.#answer(request, running.signal);
      if (answer !== undefined && !running.signal.aborted) this.#toClient.send({ ...answer, id });
    } catch (error) {
      if (!running.signal.aborted) this.#toClient.send(goneMessage(id, this.#options.server, error));
    } finally {
      this.#running.delete(id);
    }
  }

  #answer(request: Request, signal: AbortSignal): Promise<Message | undefined> {
    const { method, id } = request;
    if (method === "initialize") return this.#initialize(request);
    if (method === "ping") return Promise.resolve(resultMessage(id, {}));
    if (this.#told === undefined) return Promise.resolve(errorMessage(id, CODE.invalid, "Send initialize first."));
    if (Object.hasOwn(guardedMethods, method)) return this.#guarded(request, signal);
    if (Object.hasOwn(LISTS, method)) return this.#list(request, signal);
    return this.#passed(request, signal);
  }

  async #initialize({ id, params }: Request): Promise<Message> {
    const { bus, store, pins, server } = this.#options;
    if (this.#told !== undefined) return errorMessage(id, CODE.invalid, "The session is already initialized.");
    const hello = fieldsOf(params);
    const { name } = fieldsOf(hello.clientInfo);
    this.#asked = String(hello.protocolVersion);
    if (typeof name === "string") this.#agent = { name };
    this.#told = {};
    this.#upstream.start(hello);
    void bus.emit("session:start", { session: this.#session, agent: this.#agent, source: "mcp", cwd: process.cwd() });
    this.#told = await helloFor(this.#asked, { store, pins, upstream: this.#upstream, server });
    return resultMessage(id, this.#told);
  }

  async #guarded({ id, method, params }: Request, signal: AbortSignal): Promise<Message | undefined> {
    const guarded = guardedMethods[method];
    if (guarded === undefined) return undefined;
    const fault = guarded.fault(fieldsOf(params));
    if (fault !== undefined) return errorMessage(id, CODE.params, `Hookline: ${fault}, so no guard can judge this request.`);
    const answer = await this.#calls.run({
      ready: () => (method === "tools/call" ? this.#tools.known() : Promise.resolve()),
      fault: () => (method === "tools/call" ? this.#tools.faultOf(fieldsOf(params)) : undefined),
      method: guarded,
      params: fieldsOf(params),
      callId: `${this.#session.id}-${this.#nextCall++}`,
      signal,
      send: (sent, cut) => this.#upstream.request(method, sent, cut),
    });
    if ("cancelled" in answer) return undefined;
    if ("result" in answer) return resultMessage(id, answer.result);
    if ("error" in answer) return { jsonrpc: "2.0", id, error: answer.error };
    return method === "tools/call" ? resultMessage(id, failedResult(answer.refused)) : errorMessage(id, CODE.denied, answer.refused);
  }

  async #list(request: Request, signal: AbortSignal): Promise<Message> {
    const { method } = request;
    // The client was told that there are such lists before anyone knew.
    if (!hasList(await this.#upstream.ready(), method)) return resultMessage(request.id, { [LISTS[method] ?? ""]: [] });
    const response = await this.#passed(request, signal);
    if (method !== "tools/list" || response.error !== undefined) return response;
    return { ...response, result: this.#tools.checked(fieldsOf(response.result)) };
  }

  async #passed({ method, params }: Request, signal: AbortSignal): Promise<Message> {
    const response = await this.#upstream.request(method, params, signal);
    const field = REPLAYED.get(method);
    if (field !== undefined && response.error === undefined)
      this.#replayed.set(`${method} ${method === "logging/setLevel" ? "" : fieldsOf(params)[field]}`, { method, params });
    if (method === "resources/unsubscribe") this.#replayed.delete(`resources/subscribe ${fieldsOf(params).uri}`);
    return response;
  }

  #notification(message: Notification): void {
    const { method } = message;
    const params = fieldsOf(message.params);
    if (method === "notifications/cancelled") {
      this.#running
        .get(params.requestId)
        ?.abort(new Error(typeof params.reason === "string" ? params.reason : "The client has cancelled it."));
      return;
    }
    // A careless server may run a call that has no id, and no guard would have seen it.
    if (!method.startsWith("notifications/"))
      return this.#clientFault({ what: `a notification "${method.slice(0, 100)}", which is not one of MCP` });
    // The gateway says it to each server that it starts.
    if (method !== "notifications/initialized") void this.#upstream.tell(message);
  }

  #fromServer(message: Message): void {
    const { bus, server } = this.#options;
    if (isRequest(message)) {
      if (message.method === "ping") return this.#toServer.send(resultMessage(message.id, {}));
      const event = SERVER_EVENTS.get(message.method);
      if (this.#questions.ask(message) && event !== undefined)
        void bus.emit(event, { session: this.#session, agent: this.#agent, server, action: message.method, raw: message.params });
      return;
    }
    if (!isNotification(message)) return this.#fault(`The MCP server "${server}" sent a message that is not JSON-RPC.`);
    if (message.method === "notifications/cancelled") {
      const params = fieldsOf(message.params);
      return this.#questions.cancel(params.requestId, params);
    }
    if (message.method === "notifications/tools/list_changed") this.#tools.forget();
    this.#toClient.send(message);
  }

  /** The server is there, for the first time or again. */
  #ready(hello: Fields): void {
    const { store, pins } = this.#options;
    const result = safeHello(hello, pins);
    const { hello: known } = store.read();
    if (JSON.stringify(known) !== JSON.stringify({ asked: this.#asked, result }))
      store.update(() => ({ hello: { asked: this.#asked, result } }));
    for (const { method, params } of this.#replayed.values()) void this.#upstream.request(String(method), params).catch(() => {});
    if (this.#wasLost) this.#tellChanges();
    this.#wasLost = false;
  }

  #wasLost = false;

  #lost(why: string): void {
    this.#wasLost = true;
    this.#tools.forget();
    this.#questions.cancelAll(why);
    this.#fault(`The MCP server "${this.#options.server}" is gone: ${why} Hookline tries again.`);
  }

  /** Another run of the server may have other lists. */
  #tellChanges(): void {
    for (const [kind, capability] of Object.entries(fieldsOf(this.#told?.capabilities)))
      if (fieldsOf(capability).listChanged === true) this.#toClient.send(notificationMessage(`notifications/${kind}/list_changed`));
  }

  #clientFault({ what }: ChannelFault): void {
    this.#fault(`The client sent ${what}.`);
    this.#toClient.send(errorMessage(null, CODE.parse, `Hookline: this is ${what}.`));
  }

  #fault(text: string): void {
    this.#options.fault(text);
  }
}

/** What a server asks of a client is in the record. */
const SERVER_EVENTS: ReadonlyMap<string, `mcp:${string}`> = new Map([
  ["sampling/createMessage", "mcp:sampling"],
  ["elicitation/create", "mcp:elicitation"],
]);
