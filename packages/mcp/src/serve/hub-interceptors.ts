import { isDeepStrictEqual } from "node:util";
import type { HubClient } from "hookline/internal/mcp";
import { type GuardedMethod, guardedMethods, toolName } from "../gateway/guarded-methods.js";
import { replacedResult } from "../gateway/results.js";
import { type Fields, fieldsOf } from "../protocol/message.js";
import { version } from "../protocol/package-version.js";
import {
  type Interceptor,
  type Invocation,
  InvocationFault,
  invalid,
  type Mutation,
  VALID,
  type Validation,
} from "./interceptor-registry.js";

const EVENTS = Object.keys(guardedMethods);
const PARAMETERS = ["name", "arguments", "uri"];
/** A person may be asked. */
const WAIT_MS = 300_000;
const ANSWER_MS = 5_000;
/** So many sessions are remembered; the oldest is forgotten first. */
const MAX_SESSIONS = 10_000;

export interface HubInterceptorsOptions {
  readonly connect: () => Promise<HubClient>;
  /** They tell what they would do, and ask no person. */
  readonly isAudit?: boolean;
}

interface HubDecision {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly payload: unknown;
}

/** A request as a tool call, for the hub. */
interface ToolRequest {
  readonly method: GuardedMethod;
  readonly params: Fields;
  readonly tool: Fields;
}

/** The hub's rules and people, as interceptors for requests and responses. Whatever fails is an error, which the draft lets block the call. */
export class HubInterceptors {
  readonly #options: HubInterceptorsOptions;
  /** The newest call of each session: a response does not say which one it is the answer to. */
  readonly #calls = new Map<string, Fields>();

  constructor(options: HubInterceptorsOptions) {
    this.#options = options;
  }

  /** Validates, then rewrites: the order in which `interceptors/list` has them. */
  list(): readonly Interceptor[] {
    const common = {
      version,
      hooks: [
        { events: EVENTS, phase: "request" },
        { events: EVENTS, phase: "response" },
      ],
      ...(this.#options.isAudit === true && { mode: "audit" as const }),
    } as const;
    return [
      {
        descriptor: {
          name: "hookline-guards",
          type: "validation",
          description: "Asks Hookline's rules and people about a call.",
          ...common,
        },
        act: (invocation) => (invocation.phase === "request" ? this.#validate(invocation) : this.#record(invocation)),
      },
      {
        descriptor: {
          name: "hookline-rewrites",
          type: "mutation",
          description: "Gives a call and its result what the rules make of them.",
          ...common,
        },
        act: (invocation) => (invocation.phase === "request" ? this.#rewrite(invocation) : this.#replace(invocation)),
      },
    ];
  }

  /** A call that the rules rewrite is valid only in its new form: no other one was checked. */
  async #validate(invocation: Invocation): Promise<Validation> {
    const asked = read(invocation);
    const wait = this.#options.isAudit !== true;
    const { allowed, reason, payload } = await this.#decide(asked, invocation, { record: true, wait });
    const after = fieldsOf(fieldsOf(payload).tool).input;
    if (!allowed) return invalid(reason ?? "Denied.");
    if (!isDeepStrictEqual(after, asked.tool.input)) return invalid("Hookline's rules change this call: invoke hookline-rewrites first.");
    this.#remember(invocation, asked.tool);
    return VALID;
  }

  async #rewrite(invocation: Invocation): Promise<Mutation> {
    const asked = read(invocation);
    const { allowed, payload } = await this.#decide(asked, invocation, { record: false, wait: false });
    const after = fieldsOf(fieldsOf(fieldsOf(payload).tool).input);
    // Denials are the validator's.
    if (!allowed || isDeepStrictEqual(after, asked.tool.input)) return { modified: false, payload: invocation.payload };
    const changed = asked.method.withInput(asked.params, after);
    const given = fieldsOf(invocation.payload);
    return { modified: true, payload: given.params === undefined ? changed : { ...given, params: changed } };
  }

  /** The rules of later calls may depend on what a result has shown. */
  async #record(invocation: Invocation): Promise<Validation> {
    await this.#transform(invocation);
    return VALID;
  }

  async #replace(invocation: Invocation): Promise<Mutation> {
    const { result, before, after, method } = await this.#transform(invocation);
    const replaced = replacedResult(method.result, result, before, after);
    if (isDeepStrictEqual(replaced, result)) return { modified: false, payload: invocation.payload };
    const given = fieldsOf(invocation.payload);
    return { modified: true, payload: given.result === undefined ? replaced : { ...given, result: replaced } };
  }

  async #decide(
    { tool }: ToolRequest,
    invocation: Invocation,
    how: { readonly record: boolean; readonly wait: boolean },
  ): Promise<HubDecision> {
    const timeoutMs = how.wait ? WAIT_MS : ANSWER_MS;
    const body = { event: "tool:before", payload: { tool }, ...sessionOf(invocation), source: SOURCE, ...how, timeoutMs };
    return (await this.#options.connect()).post("/api/decide", JSON.stringify(body), "application/json", timeoutMs + ANSWER_MS);
  }

  async #transform(invocation: Invocation) {
    const method = methodOf(invocation);
    const given = fieldsOf(invocation.payload);
    const result = given.result === undefined ? given : fieldsOf(given.result);
    const value = method.result.value(result);
    const tool = this.#calls.get(sessionId(invocation)) ?? { name: invocation.event, ...serverOf(invocation), input: {} };
    const body = { event: "tool:result", value, payload: { tool }, ...sessionOf(invocation), source: SOURCE };
    const answer = await (await this.#options.connect()).post<{ readonly value: unknown }>("/api/transform", JSON.stringify(body));
    const after = isDeepStrictEqual(answer.value, value) ? value : answer.value;
    return { method, result, before: value, after };
  }

  #remember(invocation: Invocation, tool: Fields): void {
    const id = sessionId(invocation);
    this.#calls.delete(id);
    this.#calls.set(id, tool);
    const [oldest] = this.#calls.size > MAX_SESSIONS ? this.#calls.keys() : [];
    if (oldest !== undefined) this.#calls.delete(oldest);
  }
}

const SOURCE = { app: "mcp-interceptor" };

function read(invocation: Invocation): ToolRequest {
  const method = methodOf(invocation);
  const given = fieldsOf(invocation.payload);
  // The whole request or its parameters: the draft has examples of both.
  const params = given.params === undefined ? given : fieldsOf(given.params);
  if (given.params !== undefined && PARAMETERS.some((field) => given[field] !== undefined))
    throw new InvocationFault("The payload is a request and parameters at once, so no guard can judge it.");
  const fault = method.fault(params);
  if (fault !== undefined) throw new InvocationFault(`${fault}, so no guard can judge this request.`);
  const { server } = serverOf(invocation);
  const name = method.tool(params);
  const tool = {
    name: server === undefined ? name : toolName(server, name),
    runtimeName: method.runtimeName(params),
    ...(server !== undefined && { server }),
    input: method.input(params),
  };
  return { method, params, tool };
}

function methodOf({ event }: Invocation): GuardedMethod {
  const method = Object.hasOwn(guardedMethods, event) ? guardedMethods[event] : undefined;
  if (method === undefined) throw new InvocationFault(`"${event}" is not known.`);
  return method;
}

function serverOf({ config }: Invocation): { readonly server?: string } {
  return typeof config?.server === "string" ? { server: config.server } : {};
}

function sessionId({ context }: Invocation): string {
  return typeof context?.sessionId === "string" ? context.sessionId : "";
}

function sessionOf(invocation: Invocation): { readonly session?: { readonly id: string } } {
  const id = sessionId(invocation);
  return id === "" ? {} : { session: { id } };
}
