// MCP TypeScript SDK. Its types are not imported: only what is used of them is named here.
import type { Bus } from "../../bus/bus.js";
import type { ToolRun } from "../../bus/run-tool.js";
import { type AdapterOptions, AdapterSession, failureText, isRecord } from "../_session/adapter-session.js";

/** Options of `guardMcpClient`. */
export interface McpClientOptions extends AdapterOptions {
  /** The server's name: rules see its tools as `mcp__<server>__<tool>`. */
  readonly server: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's overloads depend on schemas, and only `any` keeps each of them
type AnyFunction = (...args: any[]) => any;
interface McpClient {
  callTool: AnyFunction;
  request: AnyFunction;
  readonly experimental?: { readonly tasks?: { callToolStream?: AnyFunction; requestStream?: AnyFunction } };
}
interface McpServer {
  registerTool: AnyFunction;
  readonly experimental?: { readonly tasks?: { registerToolTask?: AnyFunction } };
  /** Deprecated by the SDK. */
  tool?: AnyFunction;
}
/** What the SDK returns for a tool. */
interface RegisteredTool {
  [field: string]: unknown;
  update: AnyFunction;
}
interface Extra {
  readonly signal?: AbortSignal;
  readonly requestId?: unknown;
}
interface CallParameters {
  readonly name: string;
  readonly arguments?: { readonly [key: string]: unknown };
}

/**
 * Guards every `callTool` of a client of the MCP SDK, and returns that client. A denied call gives a result with `isError`. A call by `request`,
 * and the SDK's experimental calls as tasks, throw: they would not be guarded.
 *
 * `const client = guardMcpClient(bus, new Client(…), { server: "files" });`
 */
export function guardMcpClient<C extends McpClient>(bus: Bus, client: C, { server, ...options }: McpClientOptions): C {
  const session = new AdapterSession(bus, options);
  const callTool = client.callTool.bind(client);
  const guarded = refuseDirectCalls(client);
  client.callTool = async (parameters: CallParameters, ...rest: unknown[]) => {
    if ([parameters, ...rest].some((part) => isRecord(part) && part.task !== undefined)) refuseCall(parameters.name);
    const signal = rest.map((part) => (isRecord(part) ? part.signal : undefined)).find((part) => part instanceof AbortSignal);
    const call = { name: `mcp__${server}__${parameters.name}`, server, input: parameters.arguments ?? {}, signal };
    const run = await session.run(call, (input) => {
      const decided = { ...parameters, arguments: input };
      guarded.add(decided);
      return callTool(decided, ...rest);
    });
    return resultOf(run);
  };
  refuseTaskCalls(client);
  return client;
}

/**
 * Guards the tools of a server of the MCP SDK, those that it has and those that are registered later, and returns that server. Its deprecated
 * method `tool` and its experimental `registerToolTask` throw: what they register would not be guarded. So does a server that has a tool as a
 * task already, or that does not show which tools it has.
 *
 * `const server = guardMcpServer(bus, new McpServer(…)); server.registerTool(…)`
 */
export function guardMcpServer<S extends McpServer>(bus: Bus, server: S, options: AdapterOptions = {}): S {
  const session = new AdapterSession(bus, options);
  for (const [name, registered] of Object.entries(toolsOf(server))) guardRegistered(session, name, registered);
  const registerTool = server.registerTool.bind(server);
  server.registerTool = (name: string, config: unknown, handler: AnyFunction) => {
    const tool = { name, handler };
    const guarded = guardedHandler(session, tool);
    return keepGuarded(registerTool(name, config, guarded), guarded, tool);
  };
  const refuse = (name: string): never => {
    throw new Error(`The tool "${name}" would not be guarded. Register it with registerTool(name, config, handler).`);
  };
  if (server.tool !== undefined) server.tool = refuse;
  const tasks = server.experimental?.tasks;
  if (tasks?.registerToolTask !== undefined) tasks.registerToolTask = refuse;
  return server;
}

/** The tools that were registered before. The SDK keeps them in a field that it does not document, so another version may have another. */
function toolsOf(server: object): { readonly [name: string]: RegisteredTool } {
  const { _registeredTools: tools } = server as { readonly _registeredTools?: unknown };
  if (isRecord(tools)) return tools as { readonly [name: string]: RegisteredTool };
  throw new Error(
    "guardMcpServer cannot see which tools this server has, and they would not be guarded. Use a version of the MCP SDK that docs/adapters.md names, or guard its clients with guardMcpClient.",
  );
}

function guardRegistered(session: AdapterSession, name: string, registered: RegisteredTool): void {
  // An older SDK has it as `callback`. A tool as a task has an object with three functions.
  const field = ["handler", "callback"].find((key) => typeof registered[key] === "function");
  if (field === undefined)
    throw new Error(
      `The tool "${name}" would not be guarded, because it runs as a task. Register it with registerTool(name, config, handler).`,
    );
  const tool = { name, handler: registered[field] as AnyFunction };
  const guarded = guardedHandler(session, tool);
  registered[field] = guarded;
  keepGuarded(registered, guarded, tool);
}

/** The SDK passes the input only to tools that declare one. */
function guardedHandler(session: AdapterSession, tool: { readonly name: string; readonly handler: AnyFunction }): AnyFunction {
  return async (...given: readonly [Extra] | readonly [unknown, Extra]) => {
    const [input, extra] = given.length > 1 ? (given as readonly [unknown, Extra]) : [undefined, given[0] as Extra];
    const { name, handler } = tool;
    const call = { name, input: input ?? {}, callId: String(extra?.requestId ?? ""), signal: extra?.signal };
    return resultOf(await session.run(call, (allowed) => (given.length > 1 ? handler(allowed, extra) : handler(extra))));
  };
}

/** A tool can get another name, input or function after it was registered. The SDK calls what is in the field that has our function now. */
function keepGuarded(registered: RegisteredTool, guarded: AnyFunction, tool: { name: string; handler: AnyFunction }): RegisteredTool {
  const { update } = registered;
  for (const field of Object.keys(registered).filter((key) => registered[key] === guarded))
    Object.defineProperty(registered, field, {
      enumerable: true,
      get: () => guarded,
      set(next: AnyFunction) {
        if (next !== guarded) tool.handler = next;
      },
    });
  registered.update = (changes: { readonly name?: unknown; readonly callback?: unknown }) => {
    const { callback } = changes;
    // Version 2 of the SDK calls the function that it is given here, whatever the field has.
    const result = update.call(registered, typeof callback === "function" ? { ...changes, callback: guarded } : changes);
    if (typeof callback === "function") tool.handler = callback as AnyFunction;
    if (typeof changes.name === "string") tool.name = changes.name;
    return result;
  };
  return registered;
}

/** The SDK's own `callTool` makes its request by `request`, with the object that it was given. Gives the set of those that guards have allowed. */
function refuseDirectCalls(client: McpClient): WeakSet<object> {
  const guarded = new WeakSet<object>();
  const request = client.request.bind(client);
  client.request = (given: { readonly method: string; readonly params: CallParameters }, ...rest: unknown[]) =>
    given.method === "tools/call" && !guarded.has(given.params) ? refuseCall(given.params.name) : request(given, ...rest);
  return guarded;
}

function refuseCall(name: string): never {
  throw new Error(`The call of "${name}" would not be guarded. Call it with callTool({ name, arguments }).`);
}

/** A call as a task ends with the task's own messages, which no hook sees. */
function refuseTaskCalls({ experimental: { tasks } = {} }: McpClient): void {
  if (tasks === undefined) return;
  const requestStream = tasks.requestStream?.bind(tasks);
  if (tasks.callToolStream !== undefined) tasks.callToolStream = ({ name }: CallParameters) => refuseCall(name);
  if (requestStream !== undefined)
    tasks.requestStream = (request: { readonly method: string; readonly params: CallParameters }, ...rest: unknown[]) =>
      request.method === "tools/call" ? refuseCall(request.params.name) : requestStream(request, ...rest);
}

function resultOf(run: ToolRun): unknown {
  if (run.status === "error") throw run.error;
  if (run.status !== "ok") return { isError: true, content: [{ type: "text", text: failureText(run) }] };
  // A hook may have put text in the place of the result.
  return isRecord(run.output) ? run.output : { content: [{ type: "text", text: String(run.output) }] };
}
