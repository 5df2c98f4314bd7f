import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Fields, fieldsOf } from "../protocol/message.js";
import { version } from "../protocol/package-version.js";
import { type InterceptorRegistry, InvocationFault } from "./interceptor-registry.js";

/** The draft that this follows: SEP-2624 as of September 2026, with a list of hooks. Another draft is another name. */
export const INTERCEPTOR_DRAFT = "sep-2624-2026-09";

const EXTENSION = "io.modelcontextprotocol/interceptors";

const anyFields = z.looseObject({});
const listed = z.looseObject({ event: z.string().nullish() });
const invoked = z.looseObject({
  name: z.string(),
  event: z.string(),
  phase: z.enum(["request", "response"]),
  payload: z.unknown(),
  config: anyFields.nullish(),
  context: anyFields.nullish(),
});

/** An MCP server that has interceptors, and nothing else. */
export function createInterceptorServer(registry: InterceptorRegistry): McpServer {
  const said = { draft: INTERCEPTOR_DRAFT };
  const capabilities = { extensions: { [EXTENSION]: said }, experimental: { interceptors: said } };
  const product = new McpServer({ name: "hookline-interceptors", version }, { capabilities });
  const { server } = product;
  server.setRequestHandler("interceptors/list", { params: listed, result: anyFields }, ({ event }) => ({
    ...registry.list(event ?? undefined),
  }));
  server.setRequestHandler(
    "interceptor/invoke",
    { params: invoked, result: anyFields },
    async ({ config, context, ...given }, { mcpReq }) => {
      const invocation = { ...given, payload: given.payload, config: fieldsIn(config), context: fieldsIn(context) };
      try {
        return await registry.invoke(invocation, mcpReq.signal);
      } catch (error) {
        if (error instanceof InvocationFault) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
        throw error;
      }
    },
  );
  return product;
}

function fieldsIn(value: unknown): Fields | undefined {
  return value === null || value === undefined ? undefined : fieldsOf(value);
}
