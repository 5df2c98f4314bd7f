import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.js";
import type { Audit } from "./audit.js";

const fixture = fileURLToPath(new URL("../../../src/agents/claude-code/fixtures/session-2.1.325.jsonl", import.meta.url));

function open() {
  const home = createCliHome();
  onTestFinished(() => home.close());
  const projects = join(home.folder, ".claude", "projects", "p");
  mkdirSync(projects, { recursive: true });
  return { home, projects };
}

function call(id: string, command: string): string {
  const message = { id: `m-${id}`, content: [{ type: "tool_use", id, name: "Bash", input: { command } }], usage: {} };
  return `${JSON.stringify({ type: "assistant", sessionId: "s1", cwd: "/w", timestamp: "2026-11-01T00:00:00.000Z", message })}\n`;
}

describe("hookline audit", () => {
  it("says where it looked if there is nothing, without a hub or a configuration", async () => {
    const { home } = open();
    const ran = await home.run("audit");
    expect(ran.code).toBe(0);
    expect(ran.err).toContain(join(home.folder, ".codex", "sessions"));
    expect(ran.err).toContain(join(home.folder, ".local", "share", "opencode"));
    expect(ran.err).toContain("hookline demo");
  });

  it("reads the sessions of every agent that has some", async () => {
    const { home } = open();
    for (const [agent, file, path] of [
      ["claude-code", "session-2.1.325.jsonl", ".claude/projects/p/13c82d6c-bd0c-4527-be93-00a2694c7354.jsonl"],
      ["codex", "session-0.166.0.jsonl", ".codex/sessions/2026/11/17/rollout-1.jsonl"],
      ["gemini", "session-0.61.0.jsonl", ".gemini/tmp/x/chats/session-1.jsonl"],
      ["copilot", "session-1.0.102.jsonl", ".copilot/session-state/s1/events.jsonl"],
    ] as const) {
      mkdirSync(dirname(join(home.folder, path)), { recursive: true });
      cpSync(fileURLToPath(new URL(`../../../src/agents/${agent}/fixtures/${file}`, import.meta.url)), join(home.folder, path));
    }
    const data = join(home.folder, ".local", "share", "opencode");
    mkdirSync(data, { recursive: true });
    const database = new DatabaseSync(join(data, "opencode.db"), { enableForeignKeyConstraints: false });
    database.exec(readFileSync(new URL("../../../src/agents/opencode/fixtures/opencode-1.18.33.sql", import.meta.url), "utf8"));
    database.close();
    const { out, err } = await home.run("audit", "--since", "2020-01-01", "--json");
    expect(err).toBe("");
    const { agents } = JSON.parse(out) as Audit;
    expect(agents.map(({ title, prompts, calls, unreadable, problems }) => [title, prompts, calls, unreadable, ...problems])).toEqual([
      ["Claude Code", 2, 5, 0],
      ["Codex", 2, 4, 0],
      ["Gemini CLI", 2, 4, 0],
      ["Copilot CLI", 2, 4, 0],
      ["OpenCode", 2, 13, 0],
    ]);
    const shown = await home.run("audit", "--since", "2020-01-01");
    expect(shown.err).toContain("hookline attach copilot");
    expect(shown.err).toContain("hookline attach opencode");
  });

  it("shows what agents did and what rules would have stopped, and leaves nothing behind", async () => {
    const { home, projects } = open();
    cpSync(fixture, join(projects, "13c82d6c-bd0c-4527-be93-00a2694c7354.jsonl"));
    const hostile = "rm -rf / #<script>alert(1)</script>\u202e";
    writeFileSync(join(projects, "s1.jsonl"), call("c1", hostile) + call("c2", "git push --force origin main"));
    const scratch = () => readdirSync(tmpdir()).filter((name) => name.startsWith("hookline-audit-"));
    const before = scratch();
    const html = join(home.folder, "audit.html");
    const ran = await home.run("audit", "--since", "2026-01-01", "--html", html);
    expect(ran).toMatchObject({ code: 0, err: expect.stringContaining("hookline attach claude-code") });
    expect(ran.out).toContain("Claude Code");
    expect(ran.out).toContain("$0.0014");
    expect(ran.out).toContain("destructive-shell/rm");
    expect(ran.err).toContain("hookline rules add git-history");
    expect(scratch()).toEqual(before);
    expect(readdirSync(home.folder)).not.toContain("state");
    const page = readFileSync(html, "utf8");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toContain("<script");
    expect(page).not.toContain("\u202e");
    expect(page).toContain("destructive-shell/rm");
    expect(await home.run("audit", "--since", "2026-01-01", "--html", html)).toMatchObject({
      code: 1,
      err: expect.stringContaining("there is a file of that name"),
    });
    const found = JSON.parse((await home.run("audit", "--since", "2026-01-01", "--json")).out) as Audit;
    expect(found.agents).toMatchObject([{ agent: "claude-code", files: 2, sessions: 2, prompts: 2, calls: 7, inputTokens: 70 }]);
    expect(found.result.now.block + found.result.now.ask).toBeGreaterThanOrEqual(2);
  });

  it("says so if the user's own rules are among them, and does not tell to add what is there", async () => {
    const { home, projects } = open();
    writeFileSync(join(projects, "s1.jsonl"), call("c1", "rm -rf /") + call("c2", "git push --force"));
    expect(await home.run("rules", "add", "git-history")).toMatchObject({ code: 0 });
    const ran = await home.run("audit", "--since", "2026-01-01");
    expect(ran.out).toContain("your rules and those that come with Hookline would have blocked 1 and asked you about 1");
    expect(ran.err).toContain("hookline rules add destructive-shell");
    expect(ran.err).not.toContain("rules add git-history");
  });
});
