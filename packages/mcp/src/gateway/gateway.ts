import { randomUUID } from "node:crypto";
import type { AgentRef, Bus } from "@hookline/core";
import type { HubConnection } from "@hookline/core/forward";
import type { Channel, ChannelFault } from "../protocol/channel.js";
import { type ClientFacts, hasEnvelope, META, MODERN_CODE, MODERN_VERSION, readEnvelope } from "../protocol/era.js";
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
  type Response,
  resultMessage,
} from "../protocol/message.js";
import type { PinnedTexts } from "../state/pinned-texts.js";
import type { ServerStore } from "../state/server-record.js";
import { ClientNotices } from "./client-notices.js";
import { errorFor, resultFor } from "./era-results.js";
import { Eras } from "./eras.js";
import { Flow } from "./flow.js";
import { greetingOf } from "./greet.js";
import { type AboutCall, GuardedCalls } from "./guarded-calls.js";
import { guardedMethods } from "./guarded-methods.js";
import { KnownTools } from "./known-tools.js";
import { LogLevel } from "./log-level.js";
import { lookAlikeIn } from "./look-alikes.js";
import { OpenRounds, type Round } from "./open-rounds.js";
import { type Question, questionEvent } from "./question.js";
import { failedResult } from "./results.js";
import { type ClientRequest, ServerCalls } from "./server-calls.js";
import { ServerFeed } from "./server-feed.js";
import { hasList, LISTS, type ServerHello } from "./server-hello.js";
import { ServerQuestions } from "./server-questions.js";
import { TaskResults } from "./task-results.js";
import { ToldHello } from "./told-hello.js";
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
  /** `modern`: a client or a server that speaks only the legacy era is refused. */
  readonly eras: "any" | "modern";
  /** Tells of something that is wrong: in the client's log, in the record and for `hookline doctor`. */
  readonly fault: (text: string) => void;
  /** Tells the client's log of something that is not as it could be. */
  readonly say: (text: string) => void;
}

/** The members of JSON-RPC. */
const MEMBERS = ["jsonrpc", "id", "method", "params", "result", "error"];

/** Requests that only the legacy era has. */
const LEGACY_ONLY = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/** What is remembered of a server is remembered by what was asked. */
const DISCOVERED = "server/discover";

const NOBODY: ClientFacts = { info: undefined, capabilities: {} };

/** A request of the client, with what it says about itself. */
type Asked = Request & ClientRequest;

/** One client and one server, each in its era. Calls go through the guards; everything else passes as it is, or as the other era says it. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #upstream: Upstream;
  readonly #calls: GuardedCalls;
  readonly #server: ServerCalls;
  readonly #tools: KnownTools;
  readonly #questions: ServerQuestions;
  readonly #rounds = new OpenRounds();
  readonly #feed: ServerFeed;
  readonly #notices: ClientNotices;
  readonly #tasks: TaskResults;
  readonly #eras: Eras;
  readonly #told: ToldHello;
  readonly #log: LogLevel;
  readonly #toClient: Flow;
  /** Answers to what the server asks. */
  readonly #toServer: Flow;
  /** A client starts one gateway for each server: rules that look across servers know them by the client's process. */
  readonly #session = { id: `mcp-${randomUUID()}`, parentId: `mcp-client-${process.ppid}` };
  readonly #running = new Map<unknown, AbortController>();
  #nextCall = 1;
  #agent: AgentRef = {};
  /** What a client of the legacy era has said in `initialize`, and the level of log that it has set. */
  #facts: ClientFacts = NOBODY;
  #isStarted = false;
  #wasLost = false;
  #close: () => void = () => {};
  /** Resolves when the client is gone. */
  readonly done = new Promise<void>((resolve) => {
    this.#close = resolve;
  });

  constructor(options: GatewayOptions) {
    const { server, client, connect, bus, line, pins, store } = options;
    this.#options = options;
    this.#upstream = new Upstream({
      connect,
      onMessage: (message) => this.#fromServer(message),
      onFault: (fault) => this.#serverFault(fault.what),
      onReady: (hello) => this.#ready(hello),
      onLost: (why) => this.#lost(why),
    });
    this.#toClient = new Flow((message, about) => client.send(message, about), this.#upstream);
    this.#toServer = new Flow((message) => this.#upstream.tell(message), this.#upstream);
    this.#notices = new ClientNotices((message, about) => this.#toClient.send(message, about));
    this.#calls = new GuardedCalls({ bus, line, server, session: this.#session, agent: () => this.#agent });
    this.#tools = new KnownTools(this.#upstream, pins, (what) => this.#serverFault(what));
    this.#feed = new ServerFeed(this.#upstream);
    this.#log = new LogLevel(this.#upstream);
    this.#told = new ToldHello({ server, upstream: this.#upstream, store, pins });
    this.#server = new ServerCalls({
      upstream: this.#upstream,
      ask: (question) => this.#questions.ask(question),
      headers: (method, params) => (method === "tools/call" ? this.#tools.headers(params) : {}),
      onQuestion: (question) => this.#asked(question),
    });
    const method = guardedMethods["tools/call"] as AboutCall["method"];
    this.#tasks = new TaskResults(this.#calls, { method, params: { name: "task" }, callId: `${this.#session.id}-task` });
    this.#eras = new Eras({
      server,
      store,
      onDowngrade: (what, eras) => {
        options.say(what);
        void bus.emit("mcp:downgraded", { session: this.#session, server, action: what, raw: eras });
      },
    });
    this.#questions = new ServerQuestions({
      eras: this.#eras,
      rounds: this.#rounds,
      toClient: (message) => this.#toClient.send(message),
      toServer: (message) => this.#toServer.send(message),
      onFault: (what) => this.#fault(`The MCP server "${server}" or its client sent ${what}.`),
      onQuestion: (question) => this.#asked(question),
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
    if (this.#isStarted) await this.#options.bus.emit("session:end", { session: this.#session, reason: "client_closed" });
    await this.#options.client.close();
    this.#close();
  }

  #fromClient(message: Message): void {
    const fault = lookAlikeIn(message, MEMBERS) ?? lookAlikeIn(fieldsOf(fieldsOf(message.params)._meta), Object.values(META));
    if (fault !== undefined) this.#clientFault({ what: `a message that can be read in two ways: ${fault}` });
    else if (isRequest(message)) void this.#request(message);
    else if (isNotification(message)) this.#notification(message);
    else if (isResponse(message)) this.#questions.answered(message);
    else this.#clientFault({ what: "a message that is not JSON-RPC" });
  }

  async #request(request: Request): Promise<void> {
    const { id } = request;
    if (this.#running.has(id)) return this.#toClient.send(errorMessage(id, CODE.invalid, "This id is still in use."));
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      const asked = this.#read(request);
      const answer = "error" in asked ? (asked as Message) : await this.#answer(asked as Asked, running.signal);
      if (answer !== undefined && !running.signal.aborted) this.#toClient.send({ ...answer, id });
    } catch (error) {
      if (!running.signal.aborted) this.#toClient.send(goneMessage(id, this.#options.server, error));
    } finally {
      this.#running.delete(id);
      this.#notices.end(id);
    }
  }

  /** What the request says about its client, or why it cannot be read. */
  #read(request: Request): Asked | Message {
    const { id, params } = request;
    if (!hasEnvelope(params)) {
      const { _meta } = fieldsOf(params);
      this.#notices.begin({ id, progressToken: fieldsOf(_meta).progressToken, logLevel: undefined });
      return { ...request, params, era: "legacy", facts: this.#facts };
    }
    const envelope = readEnvelope(fieldsOf(params));
    if ("fault" in envelope) {
      const { code, fault, data } = envelope;
      return { jsonrpc: "2.0", id, error: { code, message: fault, ...(data !== undefined && { data }) } };
    }
    const { facts } = envelope;
    this.#notices.begin({ id, progressToken: fieldsOf(envelope.params._meta).progressToken, logLevel: facts.logLevel });
    this.#startModern(facts);
    return { ...request, params: envelope.params, era: "modern", facts };
  }

  async #answer(asked: Asked, signal: AbortSignal): Promise<Message | undefined> {
    const { method, id, era } = asked;
    if (era === "legacy" && method === "initialize") return this.#initialize(asked);
    if (era === "legacy" && method === "ping") return resultMessage(id, {});
    if (era === "legacy" && !this.#told.isTold("legacy")) return errorMessage(id, CODE.invalid, "Send initialize first.");
    if (era === "modern" && LEGACY_ONLY.includes(method))
      return errorMessage(id, CODE.noMethod, `Hookline: revision ${MODERN_VERSION} has no "${method}".`);
    const answer = await this.#answered(asked, signal);
    if (answer === undefined) return undefined;
    if (answer.error !== undefined) return errorFor(era, answer);
    return { ...answer, result: resultFor(era, method, fieldsOf(answer.result), this.#told.serverInfo) };
  }

  #answered(asked: Asked, signal: AbortSignal): Promise<Message | undefined> {
    const { method, era } = asked;
    if (era === "modern" && method === "server/discover") return this.#discover();
    if (era === "modern" && method === "subscriptions/listen") return this.#listen(asked, signal);
    if (Object.hasOwn(guardedMethods, method)) return era === "modern" ? this.#round(asked, signal) : this.#guarded(asked, signal);
    if (Object.hasOwn(LISTS, method)) return this.#list(asked, signal);
    return this.#passed(asked, signal);
  }

  async #initialize({ id, params }: Asked): Promise<Message> {
    if (this.#told.isTold("legacy")) return errorMessage(id, CODE.invalid, "The session is already initialized.");
    const said = fieldsOf(params);
    const asked = String(said.protocolVersion);
    if (this.#options.eras === "modern") return this.#refuseLegacy(id, asked);
    this.#facts = { info: fieldsOf(said.clientInfo), capabilities: fieldsOf(said.capabilities) };
    this.#told.asks(asked);
    this.#eras.heardClient("legacy");
    this.#notices.setModern(false);
    if (!this.#isStarted) this.#upstream.start(greetingOf(this.#facts, "legacy", "any", said));
    this.#begin();
    return resultMessage(id, await this.#told.tell("legacy", asked));
  }

  #refuseLegacy(id: Request["id"], requested: string): Message {
    const message = `Hookline: this client speaks only revisions before ${MODERN_VERSION}, and eras = "modern" refuses them.`;
    this.#fault(`A client asked for revision ${requested.slice(0, 40)}, and eras = "modern" refuses it.`);
    return { jsonrpc: "2.0", id, error: { code: MODERN_CODE.version, message, data: { supported: [MODERN_VERSION], requested } } };
  }

  /** The first request of a client of the modern era begins everything: there is no other greeting. */
  #startModern(facts: ClientFacts): void {
    if (this.#isStarted) return;
    this.#facts = { info: facts.info, capabilities: facts.capabilities };
    this.#told.asks(DISCOVERED);
    this.#eras.heardClient("modern");
    this.#notices.setModern(true);
    this.#upstream.start(greetingOf(this.#facts, "modern", this.#options.eras));
    this.#begin();
  }

  #begin(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { name } = this.#facts.info ?? {};
    if (typeof name === "string") this.#agent = { name };
    void this.#options.bus.emit("session:start", { session: this.#session, agent: this.#agent, source: "mcp", cwd: process.cwd() });
  }

  async #discover(): Promise<Message> {
    return resultMessage(0, await this.#told.tell("modern", DISCOVERED));
  }

  /** A call of a modern client: a server of the legacy era may ask while it runs, and the client then sends it again. */
  async #round(asked: Asked, signal: AbortSignal): Promise<Message | undefined> {
    const params = fieldsOf(asked.params);
    const open = this.#rounds.find({ method: asked.method, params });
    const round = open ?? this.#rounds.begin({ method: asked.method, params, facts: asked.facts });
    const token = fieldsOf(params._meta).progressToken;
    if (open === undefined) round.start((cut) => this.#guarded(asked, cut, round).finally(() => this.#notices.unmove(token)));
    else this.#resume(asked, open);
    return round.answer(signal);
  }

  #resume({ id, params }: Asked, round: Round): void {
    const first = fieldsOf(round.called.params._meta).progressToken;
    this.#notices.move(first, { id, progressToken: fieldsOf(fieldsOf(params)._meta).progressToken, logLevel: undefined });
    round.resume(fieldsOf(fieldsOf(params).inputResponses));
  }

  async #guarded(asked: Asked, signal: AbortSignal, round?: Round): Promise<Message | undefined> {
    const { id, method, params } = asked;
    const guarded = guardedMethods[method];
    if (guarded === undefined) return undefined;
    const fault = guarded.fault(fieldsOf(params));
    if (fault !== undefined) return errorMessage(id, CODE.params, `Hookline: ${fault}, so no guard can judge this request.`);
    const call = { method: guarded, params: fieldsOf(params), callId: `${this.#session.id}-${this.#nextCall++}` };
    const answer = await this.#calls.run({
      ready: () => (method === "tools/call" ? this.#tools.known() : Promise.resolve()),
      fault: () => (method === "tools/call" ? this.#tools.faultOf(fieldsOf(params)) : undefined),
      ...call,
      signal,
      send: (sent, cut) => this.#send({ ...asked, params: sent }, cut, round),
    });
    if ("cancelled" in answer) return undefined;
    if ("result" in answer) this.#tasks.began(call, answer.result);
    if ("result" in answer) return resultMessage(id, answer.result);
    if ("error" in answer) return { jsonrpc: "2.0", id, error: answer.error };
    return method === "tools/call" ? resultMessage(id, failedResult(answer.refused)) : errorMessage(id, CODE.denied, answer.refused);
  }

  async #send(asked: ClientRequest, signal: AbortSignal, round?: Round): Promise<Response> {
    await this.#log.want(asked.facts.logLevel);
    if (round !== undefined) round.isSent = true;
    return this.#server.request(asked, signal);
  }

  async #list(asked: Asked, signal: AbortSignal): Promise<Message> {
    const { method } = asked;
    // The client was told that there are such lists before anyone knew.
    if (!hasList(await this.#upstream.ready(), method)) return resultMessage(asked.id, { [LISTS[method] ?? ""]: [] });
    const response = await this.#server.request(asked, signal);
    if (method !== "tools/list" || response.error !== undefined) return response;
    return { ...response, result: this.#tools.checked(fieldsOf(response.result)) };
  }

  async #passed(asked: Asked, signal: AbortSignal): Promise<Message> {
    const { method, era } = asked;
    const params = fieldsOf(asked.params);
    if (era === "legacy" && method === "resources/subscribe") return this.#feed.watch(String(params.uri));
    if (era === "legacy" && method === "resources/unsubscribe") return this.#feed.unwatch(String(params.uri));
    if (era === "legacy" && method === "logging/setLevel") return this.#logLevel(asked, signal);
    await this.#log.want(asked.facts.logLevel);
    return this.#tasks.seen(method, params, await this.#server.request(asked, signal));
  }

  /** In the legacy era a level is set once; in the modern one, each request has it. */
  async #logLevel(asked: Asked, signal: AbortSignal): Promise<Message> {
    const { level } = fieldsOf(asked.params);
    const isModern = (await this.#upstream.ready()).era === "modern";
    const response = isModern ? resultMessage(asked.id, {}) : await this.#server.request(asked, signal);
    if (response.error === undefined && isModern) this.#facts = { ...this.#facts, logLevel: String(level) };
    if (response.error === undefined && !isModern) this.#log.wasSet(String(level));
    return response;
  }

  /** Ends with the client's wish to hear: there is no other answer. */
  async #listen({ id, params }: Asked, signal: AbortSignal): Promise<undefined> {
    const { capabilities } = await this.#upstream.ready();
    const wanted = agreedFilter(fieldsOf(fieldsOf(params).notifications), capabilities);
    const uris = Array.isArray(wanted.resourceSubscriptions) ? wanted.resourceSubscriptions.map(String) : [];
    this.#notices.listen(id, wanted);
    for (const uri of uris) await this.#feed.watch(uri).catch(() => {});
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    this.#notices.unlisten(id);
    for (const uri of uris) await this.#feed.unwatch(uri).catch(() => {});
    return undefined;
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
    // The gateway says it to each server that it starts. A modern server is told nothing: it asks for roots with each call.
    if (method === "notifications/initialized") return;
    this.#upstream.ready().then(
      ({ era }) => era === "legacy" && void this.#upstream.tell(message),
      () => {},
    );
  }

  #fromServer(message: Message): void {
    if (isRequest(message)) return this.#questions.heard(message);
    if (!isNotification(message)) return this.#serverFault("a message that is not JSON-RPC");
    if (message.method === "notifications/cancelled") return this.#questions.cancelled(message.params);
    if (message.method === "notifications/tools/list_changed") this.#tools.forget();
    this.#notices.tell(message);
  }

  #asked({ method, params }: Question): void {
    const { bus, server } = this.#options;
    const event = questionEvent(method);
    if (event !== undefined) void bus.emit(event, { session: this.#session, agent: this.#agent, server, action: method, raw: params });
  }

  /** The server is there, for the first time or again. */
  #ready(hello: ServerHello): void {
    this.#eras.heardServer(hello.era);
    this.#told.heard(this.#eras.client ?? "legacy", hello);
    this.#log.again();
    this.#feed.ready(hello);
    if (this.#wasLost) this.#tellChanges();
    this.#wasLost = false;
  }

  #lost(why: string): void {
    this.#wasLost = true;
    this.#tools.forget();
    this.#feed.lost();
    this.#questions.cancelAll(why);
    this.#fault(`The MCP server "${this.#options.server}" is gone: ${why} Hookline tries again.`);
  }

  /** Another run of the server may have other lists. */
  #tellChanges(): void {
    for (const kind of this.#told.changing) this.#notices.tell(notificationMessage(`notifications/${kind}/list_changed`) as Notification);
  }

  #clientFault({ what }: ChannelFault): void {
    this.#fault(`The client sent ${what}.`);
    this.#toClient.send(errorMessage(null, CODE.parse, `Hookline: this is ${what}.`));
  }

  #serverFault(what: string): void {
    this.#fault(`The MCP server "${this.#options.server}" sent ${what}.`);
  }

  #fault(text: string): void {
    this.#options.fault(text);
  }
}

/** What the server can tell of what the client wants to hear. */
function agreedFilter(wanted: Fields, capabilities: Fields): Fields {
  const kinds = ["tools", "prompts", "resources"].filter(
    (kind) => wanted[`${kind}ListChanged`] === true && fieldsOf(capabilities[kind]).listChanged === true,
  );
  const { resourceSubscriptions } = wanted;
  const watches = Array.isArray(resourceSubscriptions) && fieldsOf(capabilities.resources).subscribe === true;
  return { ...Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true])), ...(watches && { resourceSubscriptions }) };
}
