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
}
interface McpServer {
  registerTool: AnyFunction;
  /** Deprecated by the SDK. */
  tool?: AnyFunction;
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
 * Guards every `callTool` of a client of the MCP SDK, and returns that client. A denied call gives a result with `isError`.
 *
 * `const client = guardMcpClient(bus, new Client(…), { server: "files" });`
 */
export function guardMcpClient<C extends McpClient>(bus: Bus, client: C, { server, ...options }: McpClientOptions): C {
  const session = new AdapterSession(bus, options);
  const callTool = client.callTool.bind(client);
  client.callTool = async (parameters: CallParameters, ...rest: unknown[]) => {
    const signal = rest.map((part) => (isRecord(part) ? part.signal : undefined)).find((part) => part instanceof AbortSignal);
    const call = { name: `mcp__${server}__${parameters.name}`, server, input: parameters.arguments ?? {}, signal };
    const run = await session.run(call, (input) => callTool({ ...parameters, arguments: input }, ...rest));
    return resultOf(run);
  };
  return client;
}

/**
 * Guards the tools that are registered on a server of the MCP SDK from now on, and returns that server. Its deprecated method `tool` throws: what it
 * registers would not be guarded.
 *
 * `const server = guardMcpServer(bus, new McpServer(…)); server.registerTool(…)`
 */
export function guardMcpServer<S extends McpServer>(bus: Bus, server: S, options: AdapterOptions = {}): S {
  const session = new AdapterSession(bus, options);
  const registerTool = server.registerTool.bind(server);
  server.registerTool = (name: string, config: { readonly inputSchema?: unknown }, handler: AnyFunction) => {
    const hasInput = config.inputSchema !== undefined;
    const guarded = async (input: unknown, extra: Extra) => {
      const call = { name, input: hasInput ? input : {}, callId: String(extra?.requestId ?? ""), signal: extra?.signal };
      return resultOf(await session.run(call, (allowed) => (hasInput ? handler(allowed, extra) : handler(extra))));
    };
    // The SDK passes the input only to tools that declare one.
    return registerTool(name, config, hasInput ? guarded : (extra: Extra) => guarded({}, extra));
  };
  if (server.tool !== undefined)
    server.tool = (name: string) => {
      throw new Error(`The tool "${name}" would not be guarded. Register it with registerTool(name, config, handler).`);
    };
  return server;
}

function resultOf(run: ToolRun): unknown {
  if (run.status === "error") throw run.error;
  if (run.status !== "ok") return { isError: true, content: [{ type: "text", text: failureText(run) }] };
  // A hook may have put text in the place of the result.
  return isRecord(run.output) ? run.output : { content: [{ type: "text", text: String(run.output) }] };
}
