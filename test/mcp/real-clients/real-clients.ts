import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Call, Json } from "../../agents/fake-model/conversation.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** How a program is given its MCP servers, and how its model calls their tools. */
export interface RealClient {
  /** The file of the user that `hookline mcp attach` changes. */
  path(home: string): string;
  /** Writes the servers as the program's own documentation says. */
  configure(home: string, servers: { readonly [name: string]: ServerCommand }): void;
  call(server: string, tool: string, input: Json): Call;
}

function addToJson(path: string, more: object): void {
  mkdirSync(dirname(path), { recursive: true });
  const known = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  writeFileSync(path, `${JSON.stringify({ ...known, ...more }, undefined, 2)}\n`);
}

export const realClients: { readonly [id: string]: RealClient } = {
  "claude-code": {
    path: (home) => join(home, ".claude.json"),
    configure(home, servers) {
      addToJson(join(home, ".claude.json"), { mcpServers: servers });
      addToJson(join(home, ".claude", "settings.json"), {
        permissions: { allow: Object.keys(servers).map((name) => `mcp__${name}`) },
      });
    },
    call: (server, tool, input) => ({ tool: `mcp__${server}__${tool}`, input }),
  },
  codex: {
    path: (home) => join(home, ".codex", "config.toml"),
    configure(home, servers) {
      // Codex gives its servers few of its variables, and begins without those that are not required and start slowly.
      for (const [name, { command, args }] of Object.entries(servers))
        appendFileSync(
          join(home, ".codex", "config.toml"),
          `\n[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nstartup_timeout_sec = 120\nrequired = true\nenv_vars = ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]\n`,
        );
    },
    call: (server, tool, input) => ({ tool, namespace: `mcp__${server}`, input }),
  },
  gemini: {
    path: (home) => join(home, ".gemini", "settings.json"),
    configure: (home, servers) => addToJson(join(home, ".gemini", "settings.json"), { mcpServers: servers }),
    call: (server, tool, input) => ({ tool: `mcp_${server}_${tool}`, input }),
  },
};
