import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
    expect(ran.err).toContain("hookline demo");
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
});
