import { isDeepStrictEqual } from "node:util";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { HubClient } from "hookline/internal/mcp";
import { z } from "zod";
import { guardedMethods, toolName } from "../gateway/guarded-methods.js";
import { type Fields, fieldsOf } from "../protocol/message.js";
import { version } from "../protocol/package-version.js";

/** The draft that this follows: the text of SEP-2624 (earlier SEP-1763) of April 2026. Another draft is another flag. */
export const INTERCEPTOR_DRAFT = "sep-2624-2026-04";

const EVENTS = Object.keys(guardedMethods);
const PARAMETERS = ["name", "arguments", "uri"];
/** A person may be asked. */
const WAIT_MS = 300_000;
const ANSWER_MS = 5_000;

const common = { version, hook: { events: EVENTS, phase: "request" }, mode: "enforce", failOpen: false } as const;
const interceptors = [
  { name: "hookline-guards", type: "validation", description: "Asks Hookline's rules and people about a call.", ...common },
  { name: "hookline-rewrites", type: "mutation", description: "Gives a call the input that Hookline's rules make of it.", ...common },
] as const;

const listRequest = z.object({
  method: z.literal("interceptors/list"),
  params: z.looseObject({ event: z.string().optional() }).optional(),
});
const invokeRequest = z.object({
  method: z.literal("interceptor/invoke"),
  params: z.looseObject({
    name: z.string(),
    event: z.string(),
    phase: z.string(),
    payload: z.unknown(),
    config: z.looseObject({ server: z.string().optional() }).optional(),
  }),
});

type Invocation = z.infer<typeof invokeRequest>["params"];

interface HubDecision {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly modified: boolean;
  readonly payload: unknown;
}

/** Adds the methods of the draft to a server. Whatever fails is an error, which the draft lets block the call. */
export function serveInterceptors(server: Server, connect: () => Promise<HubClient>): void {
  server.setRequestHandler(listRequest, ({ params }) => ({
    interceptors: interceptors.filter(({ hook }) => params?.event === undefined || hook.events.includes(params.event)),
  }));
  server.setRequestHandler(invokeRequest, async ({ params }) => {
    const interceptor = interceptors.find(({ name }) => name === params.name);
    if (interceptor === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no interceptor "${params.name}".`);
    if (params.phase !== "request" || !Object.hasOwn(guardedMethods, params.event))
      throw new McpError(ErrorCode.InvalidParams, `"${params.name}" is for requests of ${EVENTS.join(", ")}.`);
    const about = { interceptor: interceptor.name, type: interceptor.type, phase: params.phase };
    return { ...about, ...(await (interceptor.type === "validation" ? validate : mutate)(params, await connect())) };
  });
}

/** A call that the rules rewrite is valid only in its new form: no other one was checked. */
async function validate(invocation: Invocation, hub: HubClient): Promise<Fields> {
  const { decision, isSame } = await decide(invocation, hub, { record: true, wait: true });
  if (decision.allowed && isSame) return { valid: true };
  const message = decision.allowed ? "Hookline's rules change this call: invoke hookline-rewrites first." : (decision.reason ?? "Denied.");
  return { valid: false, severity: "error", messages: [{ message, severity: "error" }] };
}

async function mutate(invocation: Invocation, hub: HubClient): Promise<Fields> {
  const { decision, isSame, rewritten } = await decide(invocation, hub, {});
  // Denials are the validator's.
  return decision.allowed && !isSame ? { modified: true, payload: rewritten } : { modified: false, payload: invocation.payload };
}

async function decide({ event, payload, config }: Invocation, hub: HubClient, { wait = false, record = false }) {
  const method = guardedMethods[event];
  if (method === undefined) throw new McpError(ErrorCode.InvalidParams, `"${event}" is not known.`);
  const given = fieldsOf(payload);
  // The whole request or its parameters: the draft has examples of both.
  const params = given.params === undefined ? given : fieldsOf(given.params);
  if (given.params !== undefined && PARAMETERS.some((field) => given[field] !== undefined))
    throw new McpError(ErrorCode.InvalidParams, "The payload is a request and parameters at once, so no guard can judge it.");
  const fault = method.fault(params);
  if (fault !== undefined) throw new McpError(ErrorCode.InvalidParams, `${fault}, so no guard can judge this request.`);
  const input = method.input(params);
  const name = method.tool(params);
  const { server } = config ?? {};
  const tool = {
    name: server === undefined ? name : toolName(server, name),
    runtimeName: method.runtimeName(params),
    ...(server !== undefined && { server }),
    input,
  };
  const limit = wait ? WAIT_MS : ANSWER_MS;
  const body = JSON.stringify({
    event: "tool:before",
    payload: { tool },
    source: { app: "mcp-interceptor" },
    record,
    wait,
    timeoutMs: limit,
  });
  const decision = await hub.post<HubDecision>("/api/decide", body, "application/json", limit + ANSWER_MS);
  const after = fieldsOf(fieldsOf(fieldsOf(decision.payload).tool).input);
  const changed = method.withInput(params, after);
  return {
    decision,
    isSame: isDeepStrictEqual(after, input),
    rewritten: given.params === undefined ? changed : { ...given, params: changed },
  };
}
