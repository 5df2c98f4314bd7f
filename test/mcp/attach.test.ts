import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpHome, program } from "./mcp-home.ts";

let home: McpHome;
beforeEach(() => {
  home = new McpHome();
});
afterEach(() => home.close());

function write(name: string, content: string): string {
  const path = join(home.cli.folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const read = (path: string) => readFileSync(path, "utf8");

const CLAUDE = `{
  "numStartups": 3,
  "mcpServers": {
    "files": { "type": "stdio", "command": "node", "args": ["${program("files-server")}"], "env": { "A": "b" } },
    "tickets": { "type": "http", "url": "https://mcp.example.com/mcp", "headers": { "Authorization": "Bearer \${T}" } },
    "old": { "type": "sse", "url": "https://mcp.example.com/sse" }
  },
  "projects": { "/p": { "mcpServers": { "db": { "command": "db" } }, "history": [] } }
}
`;

const CODEX = `model = "gpt-5"   # kept

[mcp_servers.files]
# where it is
args = [
  "server.js", # first
]
command = "node"

[mcp_servers.files.env]
A = "b"

[mcp_servers.tickets]
url = "https://mcp.example.com/mcp"
bearer_token_env_var = "TOKEN"
startup_timeout_sec = 20

[mcp_servers."in line"]
command = "x"

[tui]
theme = "dark"
`;

describe("hookline mcp attach", () => {
  it("puts the servers of Claude Code behind the gateway, leaves the others, and detach restores every byte", async () => {
    const path = write(".claude.json", CLAUDE);
    const { out } = await home.cli.run("mcp", "attach", "claude-code", "--dry-run");
    expect(out).toContain('+    "files": ');
    expect(read(path)).toBe(CLAUDE);
    const attached = await home.cli.run("mcp", "attach", "claude-code");
    expect(attached.err).toContain("old stays as it is: it uses the older HTTP+SSE transport.");
    expect(attached.err).toContain("Claude Code: files, tickets, db are behind the rules.");
    const { mcpServers, projects } = JSON.parse(read(path));
    expect(mcpServers.files).toMatchObject({
      type: "stdio",
      args: [expect.stringContaining("main.js"), "mcp", "wrap", "--name", "files", "--", "node", program("files-server")],
      env: { A: "b" },
    });
    expect(mcpServers.tickets).toMatchObject({
      type: "stdio",
      args: [expect.anything(), "mcp", "proxy", "https://mcp.example.com/mcp", "--name", "tickets"],
      env: { HOOKLINE_MCP_HEADERS: JSON.stringify(JSON.parse(CLAUDE).mcpServers.tickets.headers) },
    });
    expect(projects["/p"].mcpServers.db.args.slice(1)).toEqual(["mcp", "wrap", "--name", "db", "--", "db"]);
    const again = await home.cli.run("mcp", "attach", "claude-code");
    expect(again.err).toContain("files stays as it is: it is behind the rules already.");
    await home.cli.run("mcp", "detach", "claude-code");
    expect(read(path)).toBe(CLAUDE);
  });

  it("changes only its own entries back if the client has changed the file meanwhile", async () => {
    const path = write(".claude.json", CLAUDE);
    await home.cli.run("mcp", "attach", "claude-code");
    writeFileSync(path, read(path).replace('"numStartups": 3', '"numStartups": 4'));
    await home.cli.run("mcp", "detach", "claude-code");
    expect(JSON.parse(read(path))).toEqual({ ...JSON.parse(CLAUDE), numStartups: 4 });
  });

  it("keeps comments, order and other tables of Codex", async () => {
    const path = write(".codex/config.toml", CODEX);
    const { err } = await home.cli.run("mcp", "attach", "codex");
    expect(err).toContain("Codex: files, tickets, in line are behind the rules.");
    const text = read(path);
    expect(text).toContain('model = "gpt-5"   # kept');
    expect(text).toContain("# where it is");
    expect(text).toContain('"wrap", "--name", "files", "--", "node", "server.js"');
    expect(text).toContain('"proxy", "https://mcp.example.com/mcp", "--name", "tickets", "--bearer-env", "TOKEN"');
    expect(text).not.toContain("url =");
    writeFileSync(path, text.replace('theme = "dark"', 'theme = "light"'));
    await home.cli.run("mcp", "detach", "codex");
    expect(read(path)).toContain('url = "https://mcp.example.com/mcp"');
    expect(read(path)).toContain('theme = "light"');
    expect(read(path)).not.toContain("--name");
  });

  it("knows the files of Gemini CLI and Cursor, and refuses a file that is not sound", async () => {
    const cursor = write(".cursor/mcp.json", '{ "mcpServers": { "a": { "command": "a" } } } // mine\n');
    expect((await home.cli.run("mcp", "attach", "cursor")).code).toBe(0);
    expect(read(cursor)).toMatch(/"wrap".*\/\/ mine\n$/s);
    const gemini = write(".gemini/settings.json", '{ "mcpServers": { "a": { "httpUrl": "https://a.example" } }');
    const { code, err } = await home.cli.run("mcp", "attach", "gemini");
    expect([code, err]).toEqual([1, expect.stringContaining("was left as it is")]);
    expect(read(gemini)).toBe('{ "mcpServers": { "a": { "httpUrl": "https://a.example" } }');
    expect((await home.cli.run("mcp", "attach", "emacs")).code).toBe(2);
  });
});
