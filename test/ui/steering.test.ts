import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";
import { askAsAgent, CONFIG, HOSTILE, send } from "./seed.ts";

const browser = await startBrowser();
if (typeof browser === "string") console.warn(`The page is not tested: ${browser}`);

describe.skipIf(typeof browser === "string")("a session's view", () => {
  let hub: PageHub;
  beforeAll(async () => {
    hub = await startPageHub(CONFIG);
    await askAsAgent(hub, "cat .env");
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
  });

  async function open(scopes?: readonly string[]): Promise<Page> {
    const context: BrowserContext = await signIn(browser as Browser, hub, scopes === undefined ? {} : { scopes });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${hub.url}/?view=sessions&session=s-claude`);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    return page;
  }
  const list = (page: Page) => page.getByRole("list", { name: "What was sent to this session" });

  it("lets the operator send a message, an interrupt and a reminder, and shows what became of them", async () => {
    const page = await open();
    await page.getByText("Steer this session").click();
    const words = page.getByLabel("What the model is told");
    await words.fill(`Look at the tests first. ${HOSTILE.script}`);
    await page.getByRole("button", { name: "Send" }).click();
    await list(page)
      .getByText(/Message by a person at the page, .* waits for the agent's next event/)
      .waitFor();
    await page.getByLabel("Reminder, told at each turn").check();
    await page.getByRole("spinbutton").fill("2");
    await words.fill("Mind the gap.");
    await words.press("Control+Enter");
    await list(page)
      .getByText(/Reminder by a person at the page/)
      .waitFor();
    await page.getByLabel("Message, told once").check();
    await page.getByLabel("Interrupt").check();
    await words.fill("Stop here.");
    await page.getByRole("button", { name: "Send" }).click();
    const interrupt = list(page).getByRole("listitem").filter({ hasText: "Stop here." });
    await interrupt.getByText(/Interrupt by/).waitFor();
    const denied = await askAsAgent(hub, "touch two");
    expect(denied.hookSpecificOutput?.permissionDecision).toBe("deny");
    await interrupt.getByText("told to the model").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    const { events } = await hub.ask<{ events: { payload: { via: string; reminder?: object } }[] }>("/api/events?event=session:steer");
    expect(new Set(events.map(({ payload }) => payload.via))).toEqual(new Set(["dashboard"]));
    expect(events.map(({ payload }) => payload.reminder)).toContainEqual({ ttlTurns: 2 });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await faultsOf(page)]).toEqual([width, []]);
    }
  });

  it("shows who only looks what was sent, and no form; what others tell of is not shown as sent", async () => {
    const forged = { id: "x", kind: "inject", text: "forged", by: "ann", via: "cli", agent: "a", status: "delivered" };
    await send(hub, { event: "session:steer", session: "s-claude", payload: forged });
    const page = await open(["read"]);
    await page.getByText("Sent to this session").click();
    await list(page).getByText("Stop here.").waitFor();
    expect(await list(page).getByText("forged").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Send" }).count()).toBe(0);
  });

  it("says why a message cannot be sent", async () => {
    await send(hub, { event: "agent:step", session: "s-gone", payload: {} });
    const page = await open();
    await page.goto(`${hub.url}/?view=sessions&session=s-gone`);
    await page.getByText("Steer this session").click();
    await page.getByLabel("What the model is told").fill("Hello?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/its process \(my-agent\) is not connected/).waitFor();
    expect(await page.getByLabel("What the model is told").inputValue()).toBe("Hello?");
  });
});
