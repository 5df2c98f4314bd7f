export type { AdapterOptions } from "../_session/adapter-session.js";
export { guardMcpClient, guardMcpServer, type McpClientOptions } from "./guard-mcp.js";
