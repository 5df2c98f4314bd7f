import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";
import { askAsAgent, CONFIG, send } from "./seed.ts";

const browser = await startBrowser();
const VIEWS = ["live", "approvals", "sessions", "overview", "handlers", "flow", "transcript"];
const BROKEN = `${CONFIG}\n[[rule]]\nname = "no-rm"\nmatch = "tool.input.command =~ '(('"\ndo = "block"\n`;
const FILE = "config/hookline/hookline.toml";

describe.skipIf(typeof browser === "string")("what the page shows", () => {
  let hub: PageHub;
  let context: BrowserContext;

  beforeAll(async () => {
    hub = await startPageHub(BROKEN);
    context = await signIn(browser as Browser, hub);
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
  });

  const open = async (query: string): Promise<Page> => {
    const page = await context.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${hub.url}/${query}`);
    return page;
  };

  it("of a broken rule is said on every view: the file, the line, the fault and the command; mended, it is gone without a reload", async () => {
    const page = await open("");
    const banner = page.locator(".banner-fault");
    for (const view of VIEWS) {
      await page.evaluate(`history.pushState(null, "", "?view=${view}"); dispatchEvent(new PopStateEvent("popstate"))`);
      await page.locator(".banner-fault", { hasText: "The rule no-rm is broken" }).waitFor();
    }
    const text = (await banner.textContent()) ?? "";
    expect(text).toMatch(/hookline\.toml:26:\d+: "match" is wrong.*not a regular expression/);
    expect(text).toContain("is denied until it is fixed. Run: hookline rules list");
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1180, height: 700 });

    await page.evaluate('history.pushState(null, "", "?view=handlers"); dispatchEvent(new PopStateEvent("popstate"))');
    await page.getByRole("row", { name: /no-rm \(broken\).*! broken/ }).waitFor();
    await page.getByRole("row", { name: /^no-rm rule user ! broken .*"match" is wrong/ }).waitFor();
    hub.home.write(FILE, `${CONFIG}\n[[rule`);
    await page.locator(".banner-fault", { hasText: "keeps the rules and hooks that it had before this edit" }).waitFor();
    hub.home.write(FILE, CONFIG);
    await banner.first().waitFor({ state: "detached" });
    await page.getByRole("row", { name: /no-rm/ }).first().waitFor({ state: "detached" });
  });

  it("of a pause is said on every view, by whom and until when, and ended by those who may approve", async () => {
    const looker = await signIn(browser as Browser, hub, { scopes: ["read"] });
    onTestFinished(() => looker.close());
    onTestFinished(() => hub.ask("/api/resume", {}) as Promise<void>);
    const onlyLooks = await looker.newPage();
    await onlyLooks.goto(`${hub.url}/`);
    const page = await open("");
    await hub.ask("/api/pause", { forMs: 3_600_000, by: "ann\u202e", reason: "migration" });
    const banner = page.locator(".banner-paused", { hasText: "Guards are paused by ann\\u202e until" });
    for (const view of VIEWS) {
      await page.evaluate(`history.pushState(null, "", "?view=${view}"); dispatchEvent(new PopStateEvent("popstate"))`);
      await banner.waitFor();
    }
    expect(await banner.textContent()).toMatch(/Every call passes and is recorded as paused\. Reason: migration/);
    expect(await faultsOf(page)).toEqual([]);
    await onlyLooks.locator(".banner-paused", { hasText: "To end it: hookline resume" }).waitFor();
    expect(await onlyLooks.getByRole("button", { name: "Resume guards" }).count()).toBe(0);

    await page.getByRole("button", { name: "Resume guards" }).click();
    await banner.waitFor({ state: "detached" });
    await onlyLooks.locator(".banner-paused").waitFor({ state: "detached" });
    expect(await hub.ask("/api/pause")).toEqual({});
  });

  it("of another day has its date, in Live, in the event and in the list of sessions, also on a phone; at midnight today becomes another day", async () => {
    const now = Date.now();
    const old = now - 6 * 86_400_000;
    const [today, before] = [now, old].map((at) => new Date(at).toLocaleDateString("sv"));
    await send(hub, { event: "agent:step", session: "s-old", at: old, payload: { text: "six days ago" } });
    await send(hub, { event: "agent:step", session: "s-new", payload: { text: "just now" } });
    const page = await open("?view=live");
    const line = (text: string) => page.locator(".feed-line", { hasText: text });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await line("six days ago").waitFor();
      const times = [line("six days ago"), line("just now")].map((found) => found.locator(".feed-time"));
      const [date, clock] = await Promise.all(times.map((time) => time.textContent()));
      expect([date?.trim(), clock?.trim()]).toEqual([
        expect.stringMatching(/^\d+ [A-Z][a-z]{2} \d\d:\d\d:\d\d$|^\d{4}-/),
        expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}$/),
      ]);
      // All of it is seen: nothing is cut.
      expect(await times[0]?.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    }
    await line("six days ago").click();
    await page.locator(".panel .facts", { hasText: `${before} ` }).waitFor();
    await page.goto(`${hub.url}/?view=sessions`);
    await page
      .getByRole("row", { name: /s-old/ })
      .getByText(/\d\d:\d\d$/)
      .waitFor();

    await page.clock.install({ time: new Date(`${today}T23:59:50`) });
    await page.goto(`${hub.url}/?view=live`);
    const time = line("just now").locator(".feed-time");
    expect(await time.textContent()).toMatch(/^\d\d:/);
    await page.clock.fastForward(20_000);
    await expect.poll(() => time.textContent()).toMatch(/[A-Z][a-z]{2} |^\d{4}-/);
  });

  it("of a session is in the order of its events' times, and under its agent's name though the hub has asked about it", async () => {
    const at = Date.now() - 60_000;
    const step = (text: string, second: number) => ({ event: "agent:step", session: "s-late", at: at + second * 1_000, payload: { text } });
    await send(hub, step("third", 30), step("first", 10));
    const page = await open("?view=live&session=s-late");
    await page.locator(".feed-line").nth(1).waitFor();
    await send(hub, step("second", 20));
    await expect.poll(() => page.locator(".feed-line .feed-detail > bdi").allTextContents()).toEqual(["third", "second", "first"]);

    const answer = askAsAgent(hub, "git push");
    await page.goto(`${hub.url}/?view=sessions`);
    await page.getByRole("row", { name: /s-claude claude-code/ }).waitFor();
    const waiting = await hub.ask<{ approvals: { id: string; hash: string }[] }>("/api/approvals");
    for (const { id, hash } of waiting.approvals) await hub.ask(`/api/approvals/${id}`, { verdict: "deny", hash });
    await answer;
    await page.reload();
    await page.getByRole("row", { name: /s-claude claude-code/ }).waitFor();
  });
});
