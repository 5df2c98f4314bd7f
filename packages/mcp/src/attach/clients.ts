import { homedir } from "node:os";
import { join } from "node:path";
import type { EntryFields } from "./wrapped-entry.js";

/** A program with a file that lists MCP servers. */
export interface McpClientFile {
  readonly id: string;
  readonly title: string;
  /** The user's file and that of a project; `undefined` if it has none. */
  path(scope: "user" | "project", env: NodeJS.ProcessEnv, cwd: string): string | undefined;
  readonly syntax: "json" | "jsonc" | "toml";
  /** Where the servers are: the keys to each object of servers; `*` stands for every key. */
  readonly servers: readonly (readonly string[])[];
  readonly fields: EntryFields;
}

const home = ({ HOME }: NodeJS.ProcessEnv): string => HOME || homedir();
const HTTP: EntryFields = { url: "url", headers: "headers" };

/** The clients whose settings `hookline mcp attach` knows. */
export const mcpClients: readonly McpClientFile[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    path: (scope, env, cwd) => (scope === "project" ? join(cwd, ".mcp.json") : join(env.CLAUDE_CONFIG_DIR || home(env), ".claude.json")),
    syntax: "json",
    servers: [["mcpServers"], ["projects", "*", "mcpServers"]],
    fields: HTTP,
  },
  {
    id: "codex",
    title: "Codex",
    path: (scope, env) => (scope === "project" ? undefined : join(env.CODEX_HOME || join(home(env), ".codex"), "config.toml")),
    syntax: "toml",
    servers: [["mcp_servers"]],
    fields: { url: "url", headers: "http_headers", bearerEnv: "bearer_token_env_var" },
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    path: (scope, env, cwd) => join(scope === "project" ? cwd : home(env), ".gemini", "settings.json"),
    syntax: "jsonc",
    servers: [["mcpServers"]],
    fields: { url: "httpUrl", headers: "headers" },
  },
  {
    id: "cursor",
    title: "Cursor",
    path: (scope, env, cwd) => join(scope === "project" ? cwd : home(env), ".cursor", "mcp.json"),
    syntax: "jsonc",
    servers: [["mcpServers"]],
    fields: HTTP,
  },
];
