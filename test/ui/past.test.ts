import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { until } from "../support/http-hub.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";

const CONFIG = `[[rule]]
name = "ask-push"
command = { git = "push" }
do = "ask"
`;
const SIZES = [
  { width: 1_280, height: 800 },
  { width: 390, height: 844 },
];
const session = fileURLToPath(new URL("../../packages/hookline/src/agents/claude-code/fixtures/session-2.1.325.jsonl", import.meta.url));
const browser = await startBrowser();

describe.skipIf(typeof browser === "string")("rules tried on the past, in the page", () => {
  let hub: PageHub;
  let context: BrowserContext;

  const decide = (command: string, more: object = {}) =>
    hub.ask<{ readonly verdict: string; readonly by?: string }>("/api/decide", {
      event: "tool:before",
      payload: { session: { id: "s" }, cwd: "/w", tool: { name: "Bash", input: { command } } },
      ...{ record: true, wait: true, source: { app: "asker" } },
      ...more,
    });
  const approve = async (command: string) => {
    const decided = decide(command);
    let waiting: { readonly id: string; readonly hash: string } | undefined;
    await until(async () => {
      const { approvals } = await hub.ask<{ readonly approvals: readonly { readonly id: string; readonly hash: string }[] }>(
        "/api/approvals",
      );
      [waiting] = approvals;
      return waiting !== undefined;
    });
    await hub.ask(`/api/approvals/${waiting?.id}`, { verdict: "allow", hash: waiting?.hash, by: "ann" });
    expect(await decided).toMatchObject({ verdict: "allow" });
  };

  beforeAll(async () => {
    hub = await startPageHub(CONFIG);
    context = await signIn(browser as Browser, hub);
    for (const name of ["a", "b", "c", "d", "e"]) await approve(`git push origin feat/${name}`);
    await decide("git push origin feat/<b>later</b>", { timeoutMs: 50 });
    await decide("git push origin feat/later", { timeoutMs: 50 });
    const projects = join(hub.home.folder, ".claude", "projects", "p");
    mkdirSync(projects, { recursive: true });
    cpSync(session, join(projects, "13c82d6c-bd0c-4527-be93-00a2694c7354.jsonl"));
    expect(await hub.home.run("import", "claude-code")).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
  });

  const open = async (query: string, size = SIZES[0]): Promise<Page> => {
    const page = await context.newPage();
    onTestFinished(() => page.close());
    if (size !== undefined) await page.setViewportSize(size);
    await page.goto(`${hub.url}/?${query}`);
    return page;
  };
  const shot = async (page: Page, name: string) => {
    const folder = process.env.HOOKLINE_SHOTS;
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
  };
  const isWide = (page: Page) => page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");

  it.each(SIZES)("tries a rule while it is written, $width px wide", async (size) => {
    const page = await open("view=handlers", size);
    await page.getByText("Try a rule on the recorded calls").click();
    const box = page.locator(".try-rule");
    await box.locator(".try-rule-calls").getByText("feat/later").first().waitFor();
    await box.getByRole("img", { name: /^no-push: \d+ matches in 30 days$/ }).waitFor();
    await box.getByRole("textbox").fill('[[rule]]\nname = "x"\ndo = "blok"\n');
    await box.getByText('must be "block"').waitFor();
    await box.getByRole("textbox").fill('[[rule]]\nname = "x"\ntool = "Bash"\nmatch = "tool.input.command == never"\ndo = "block"\n');
    await box.getByText(/: 0 blocked, 0 asked about/).waitFor();
    expect(await isWide(page)).toBe(false);
    await shot(page, `try-${size.width}`);
    expect(await faultsOf(page)).toEqual([]);
  });

  it("waits with its rule while the hub runs as many backtests as it does at a time", async () => {
    const page = await open("view=handlers");
    let isRefused = false;
    page.on("response", (response) => {
      isRefused ||= response.status() === 429 && response.url().endsWith("/api/rules/backtest");
    });
    const rules = '[[rule]]\nname = "other"\ntool = "Bash"\nmatch = "tool.input.command == never"\ndo = "block"\n';
    const others = Array.from({ length: 4 }, async () => {
      while (!isRefused) await hub.ask("/api/rules/backtest", { rules });
    });
    await page.getByText("Try a rule on the recorded calls").click();
    const box = page.locator(".try-rule");
    while (!isRefused) {
      await box.getByRole("textbox").press("End");
      await box.getByRole("textbox").pressSequentially(" ");
      await page.waitForTimeout(1_000);
    }
    await Promise.all(others);
    await box.locator(".try-rule-calls").getByText("feat/later").first().waitFor();
    expect(await box.getByText("running already").count()).toBe(0);
  });

  it.each(SIZES)("shows the matches of a rule by day, and what it suggests, $width px wide", async (size) => {
    const page = await open("view=handlers", size);
    await page.getByText("ask-push", { exact: true }).first().click();
    await page.getByText(/^7 matches in \d+ recorded calls of 30 days/).waitFor();
    await page.getByRole("img", { name: "ask-push: 7 matches in 30 days" }).waitFor();
    await page.getByText("You approved this 5 times: make it a rule").waitFor();
    expect(await isWide(page)).toBe(false);
    await shot(page, `rule-${size.width}`);
  });

  it.each(SIZES)("marks imported events, $width px wide", async (size) => {
    const page = await open("view=live&source=claude-code", size);
    const line = page.locator(".feed-line", { hasText: "call" }).first();
    await line.locator(".imported-mark").waitFor();
    await line.click();
    await page.getByText("No guard saw it.").waitFor();
    expect(await isWide(page)).toBe(false);
    await shot(page, `imported-${size.width}`);
    const other = await open("view=live&source=asker", size);
    await other.locator(".feed-line", { hasText: "call" }).first().waitFor();
    expect(await other.locator(".imported-mark").count()).toBe(0);
  });

  it.each(SIZES)("suggests a rule with its backtest, $width px wide", async (size) => {
    const page = await open("view=approvals", size);
    const card = page.locator(".suggestion");
    await card.getByText("You approved this 5 times: make it a rule").waitFor();
    await card.scrollIntoViewIfNeeded();
    const text = (await card.textContent()) ?? "";
    expect(text).toContain("'^git push origin feat/[A-Za-z0-9_][A-Za-z0-9._-]*$'");
    expect(text).toContain("would have answered 5 calls that were approved, and let through 1 other");
    expect(text).toContain("1 × not answered Bash git push origin feat/later");
    expect(await isWide(page)).toBe(false);
    await shot(page, `suggestion-${size.width}`);
    expect(await faultsOf(page)).toEqual([]);
  });

  it("adds the rule with one button, and then the call is not asked about", async () => {
    const reader = await signIn(browser as Browser, hub, { scopes: ["read"] });
    onTestFinished(() => reader.close());
    const looking = await reader.newPage();
    await looking.goto(`${hub.url}/?view=approvals`);
    expect(await looking.locator(".suggestion").getByRole("button", { name: "Add this rule" }).isDisabled()).toBe(true);
    const page = await open("view=approvals");
    await page.locator(".suggestion").getByRole("button", { name: "Add this rule" }).click();
    await page.getByText("The rule is in hookline.toml.").waitFor();
    await page.locator(".suggestion").waitFor({ state: "detached" });
    expect(readFileSync(join(hub.home.folder, "config/hookline/hookline.toml"), "utf8")).toContain('answers = "ask-push"');
    expect(await decide("git push origin feat/new", { timeoutMs: 5_000 })).toMatchObject({
      verdict: "allow",
      by: expect.stringMatching(/^approved-ask-push-/),
    });
    expect(await decide("git push origin main", { timeoutMs: 50 })).toMatchObject({ verdict: "deny" });
    expect((await hub.home.run("rules", "suggest")).err).toContain("5 approvals");
  });

  it("suggests and adds a rule in the terminal, too", async () => {
    for (const _ of ["a", "b", "c", "d", "e"]) await approve("git push --tags");
    const { out, err } = await hub.home.run("rules", "suggest");
    expect(out).toContain("You approved this 5 times when ask-push asked");
    expect(out).toContain("tool.input.command == 'git push --tags'");
    expect(out).toContain("let through no others");
    const [, name = ""] = /hookline rules add (\S+)/.exec(err) ?? [];
    expect(await hub.home.run("rules", "add", name)).toMatchObject({ code: 0, out: `${name}\n` });
    await until(async () => (await decide("git push --tags", { timeoutMs: 1_000 })).by === name);
    expect(await hub.home.run("rules", "add", "approved-none")).toMatchObject({ code: 1, err: expect.stringContaining("rules suggest") });
  });
});
