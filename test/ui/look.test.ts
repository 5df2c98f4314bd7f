import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";
import { askAsAgent, CONFIG, seedWork, send } from "./seed.ts";

const browser = await startBrowser();
if (typeof browser === "string") console.warn(`The page is not tested: ${browser}`);

const SHADOW = `
[[rule]]
name = "maybe-later"
mode = "shadow"
event = "tool:before"
match = "tool.input.command contains 'ls'"
do = "block"
message = "Only tried."
`;

describe.skipIf(typeof browser === "string")("what the views show", () => {
  let hub: PageHub;
  let page: Page;

  beforeAll(async () => {
    hub = await startPageHub(CONFIG + SHADOW);
    await seedWork(hub);
    const session = "costly";
    const model = { agent: { name: "Shop", model: "claude-haiku-4-5" }, cwd: "/work/shop" };
    await send(
      hub,
      { event: "session:start", session, payload: model },
      { event: "llm:after", session, payload: { ...model, usage: { inputTokens: 1_000_000, outputTokens: 100_000 } } },
      { event: "llm:after", session: "costly-sub", parent: session, payload: { model: "unheard-of", usage: { inputTokens: 42 } } },
    );
    page = await (await signIn(browser as Browser, hub)).newPage();
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
  });

  async function open(query: string, width: number): Promise<void> {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${hub.url}/${query}`);
  }
  /** For looking at it: HOOKLINE_SHOTS=/tmp/shots npx vitest run look */
  async function shoot(name: string): Promise<void> {
    if (process.env.HOOKLINE_SHOTS !== undefined) await page.screenshot({ path: `${process.env.HOOKLINE_SHOTS}/${name}.png` });
  }

  it("adds up usage in Overview, and shows unknown numbers as unknown", async () => {
    for (const width of [1_280, 390]) {
      await open("?view=overview", width);
      const card = page.getByRole("region", { name: "Usage and costs" });
      await card.getByRole("tab", { name: "Model" }).click();
      const line = (name: string) => card.getByRole("row", { name });
      await line("claude-haiku-4-5").waitFor();
      expect(await line("claude-haiku-4-5").textContent()).toContain("~$1.50");
      expect(await line("unheard-of").textContent()).toContain("unknown");
      expect(await line("Total").textContent()).toContain("≥ ~$");
      await card.scrollIntoViewIfNeeded();
      await shoot(`usage-${width}`);
    }
    expect(await faultsOf(page)).toEqual([]);
  });

  it("says of handlers what they are, how often they asked, and that one is in shadow, within 1,280 px", async () => {
    await open("?view=handlers", 1_280);
    await page.getByText("◌ shadow").waitFor();
    expect(await page.getByRole("columnheader").allInnerTexts()).toEqual(expect.arrayContaining([expect.stringContaining("Asked")]));
    expect(await page.getByRole("row", { name: "maybe-later" }).first().textContent()).toContain("rule");
    expect(
      await page.evaluate("(() => { const b = document.querySelector('.view-scroll'); return b.scrollWidth - b.clientWidth; })()"),
    ).toBe(0);
    await shoot("handlers-1280");
    await page.setViewportSize({ width: 390, height: 800 });
    await shoot("handlers-390");
    expect(await faultsOf(page)).toEqual([]);
  });

  it("has heads above the columns of Live", async () => {
    for (const width of [1_280, 390]) {
      await open("?view=live", width);
      await page.locator(".feed-line").first().waitFor();
      expect(await page.locator(".feed-head").textContent()).toContain("Decision");
      await shoot(`live-${width}`);
    }
  });

  it("puts sessions below their parents, with what they did together", async () => {
    for (const width of [1_280, 390]) {
      await open("?view=sessions", width);
      await page.getByRole("row", { name: "costly-sub" }).waitFor();
      const rows = await page.getByRole("row").allInnerTexts();
      const at = rows.findIndex((text) => /costly\s+with 1 subagent/.test(text));
      expect(rows[at + 1]).toContain("costly-sub");
      await shoot(`sessions-${width}`);
    }
    expect(await faultsOf(page)).toEqual([]);
  });

  it("marks an event whose stored text is damaged, in Live, in the event and in the timeline", async () => {
    await send(hub, { event: "custom:note", session: "s-damaged", payload: { text: "whole" } });
    const database = new DatabaseSync(join(hub.home.state, "events.db"), { timeout: 5_000 });
    database.prepare("UPDATE events SET body = replace(body, 'whole', 'other') WHERE session = 's-damaged'").run();
    database.close();
    await open("?view=live&session=s-damaged", 1_280);
    await page.locator(".feed-line", { hasText: "damaged" }).click();
    await page.getByText("Its text in the store is damaged").waitFor();
    await open("?view=sessions&session=s-damaged", 390);
    await page.locator(".span-line", { hasText: "damaged" }).waitFor();
  });

  it("keeps a filter under a name, shows two sessions side by side, and says how many columns a phone does not show", async () => {
    await open("?view=live&event=tool:*&decision=deny", 1_280);
    await page.getByRole("button", { name: "Save filter…" }).click();
    await page.getByLabel("Name of the filter").fill("Denied tools");
    await page.getByLabel("Name of the filter").press("Enter");
    await open("?view=live", 1_280);
    await page.getByRole("button", { name: "Denied tools" }).click();
    await page.waitForURL(/decision=deny/);
    await page.getByRole("button", { name: "Forget “Denied tools”" }).click();
    await page.getByRole("button", { name: "Denied tools" }).waitFor({ state: "detached" });

    await open("?view=sessions&session=web-agent-0", 1_280);
    await page.getByRole("link", { name: "Compare…" }).click();
    await page.getByRole("link", { name: "compare shop-agent-0" }).click();
    await page.locator(".pair.is-different").first().waitFor();
    expect(await page.getByRole("row", { name: "web-agent-0" }).textContent()).toContain("web-agent");
    await shoot("compare-1280");
    expect(await faultsOf(page)).toEqual([]);
    await open("?view=handlers", 390);
    await page
      .getByText(/\d+ more columns →/)
      .first()
      .waitFor();
  });

  it("has room for the command and the costs beside a long name of an agent", async () => {
    const app = "a-rather-long-agent-name-of-a-team-in-a-large-company-of-the-north";
    const tool = { name: "Bash", input: { command: "make everything again" } };
    await send(hub, { event: "tool:before", session: "long-name", app, payload: { tool } });
    await open("?view=sessions", 1_280);
    await page.getByRole("row", { name: "long-name" }).waitFor();
    expect(await page.evaluate("(() => { const b = document.querySelector('.table-box'); return b.scrollWidth - b.clientWidth; })()")).toBe(
      0,
    );
    await open("?view=live&session=long-name", 390);
    const command = await page.locator(".feed-line bdi.mono").first().boundingBox();
    expect(command?.width).toBeGreaterThan(100);
    expect((command?.x ?? 0) + (command?.width ?? 0)).toBeLessThanOrEqual(390);
  });

  it("exports a report whose rows have their time, event and id on one line", async () => {
    const report = await (page.context().browser() as Browser).newPage({ viewport: { width: 1_280, height: 800 } });
    await report.setContent(await hub.text("/api/export?format=html"));
    const tall = `[...document.querySelectorAll("tbody tr")].filter((row) => [row.cells[0], row.cells[1], row.querySelector("summary"), ...(row.cells[4].textContent.includes(" ") ? [] : [row.cells[4]])].some((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
    })).map((row) => row.cells[1].textContent)`;
    expect(await report.locator("tbody tr").count()).toBeGreaterThan(50);
    expect(await report.evaluate(tall)).toEqual([]);
    expect(await report.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
    await report.close();
  });

  it("draws a call that waits for a person in the timeline", async () => {
    const waiting = askAsAgent(hub, "git push origin waits");
    await open("?view=approvals", 1_280);
    await page.getByText("git push origin waits").first().waitFor();
    expect(await page.getByRole("heading", { level: 2 }).first().textContent()).toBe("claude-code wants to run Bash");
    const { approvals } = await hub.ask<{ approvals: { session?: { id: string }; id: string; hash: string }[] }>("/api/approvals");
    const asked = approvals[0];
    await open(`?view=sessions&session=${asked?.session?.id}`, 1_280);
    await page.locator(".span-line", { hasText: "waiting for a person" }).waitFor();
    await shoot("timeline-1280");
    await hub.ask(`/api/approvals/${asked?.id}`, { verdict: "deny", hash: asked?.hash, by: "Ben", reason: "not today" });
    await waiting;
    await open("?view=approvals", 1_280);
    const answer = page.getByRole("row", { name: "git push origin waits" });
    await answer.waitFor();
    expect(await answer.textContent()).toMatch(/claude-code.*deny.*Ben.*not today.*ask-before-push asked/);
    expect(await faultsOf(page)).toEqual([]);
  });
});
