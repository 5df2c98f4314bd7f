import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startBrowser } from "../support/browser.ts";
import { until } from "../support/http-hub.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";
import { askAsAgent, CONFIG, send } from "./seed.ts";

const browser = await startBrowser();

/** A browser without a screen hides no tab, and shows no notification: both are told to the page, and what it does is kept. */
const STAGE = `
  let isHidden = false;
  Object.defineProperty(document, "hidden", { get: () => isHidden });
  Object.defineProperty(document, "visibilityState", { get: () => (isHidden ? "hidden" : "visible") });
  window.setHidden = (value) => { isHidden = value; document.dispatchEvent(new Event("visibilitychange")); };
  window.notified = [];
  window.Notification = class { static permission = "granted"; constructor(title, { tag }) { window.notified.push(tag); } close() {} };
  window.said = [];
  new MutationObserver(() => { for (const { textContent } of document.querySelectorAll(".notice, .banner")) window.said.push(textContent); })
    .observe(document, { childList: true, subtree: true });
  localStorage.setItem("hookline.notices", "on");
`;

describe.skipIf(typeof browser === "string")("many tabs", () => {
  let hub: PageHub;

  beforeAll(async () => {
    hub = await startPageHub(CONFIG);
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
  });

  const enter = async (): Promise<BrowserContext> => {
    const context = await signIn(browser as Browser, hub);
    await context.addInitScript(STAGE);
    onTestFinished(() => context.close());
    return context;
  };
  const openIn = async (context: BrowserContext, query: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${hub.url}/${query}`);
    await page.getByText("Connected", { exact: true }).waitFor();
    return page;
  };
  const hide = (page: Page, isHidden: boolean) => page.evaluate(`setHidden(${isHidden})`);
  const streams = async () => Number(/^hookline_stream_clients (\d+)$/m.exec(await hub.text("/metrics"))?.[1]);
  const notified = async (tabs: readonly Page[]) => (await Promise.all(tabs.map((tab) => tab.evaluate<string[]>("notified")))).flat();

  it("all work, although a browser opens six connections to a host; one goes on watching for all", async () => {
    const context = await enter();
    const tabs: Page[] = [];
    for (let index = 0; index < 8; index++) {
      const last = tabs.at(-1);
      if (last !== undefined) await hide(last, true);
      tabs.push(await openIn(context, "?view=live"));
    }
    await until(async () => (await streams()) < 6);
    await send(hub, { event: "agent:step", payload: { text: "while most tabs rest" } });
    await tabs[7]?.getByText("while most tabs rest").waitFor();

    const looked = askAsAgent(hub, "git push seen at once");
    await tabs[7]?.getByRole("link", { name: "Approvals" }).click();
    await tabs[7]?.getByRole("button", { name: "Allow", exact: true }).click();
    await looked;
    expect(await notified(tabs)).toEqual([]);

    await hide(tabs[7] as Page, true);
    const answer = askAsAgent(hub, "git push behind eight tabs");
    await until(async () => (await notified(tabs)).length > 0);
    await until(async () => (await Promise.all(tabs.map((tab) => tab.title()))).every((title) => title === "(1) Hookline"));

    const seen = tabs[4] as Page;
    await hide(seen, false);
    await seen.getByText("while most tabs rest").waitFor();
    await seen.goto(`${hub.url}/?view=approvals`);
    await seen.getByRole("button", { name: "Allow", exact: true }).click();
    await answer;
    const { events } = await hub.ask<{ readonly events: readonly { readonly payload: { readonly approval: { readonly id: string } } }[] }>(
      "/api/events?event=approval:requested",
    );
    expect(await notified(tabs)).toEqual([events[0]?.payload.approval.id]);
    const second = tabs[2] as Page;
    await hide(second, false);
    await second.getByText("while most tabs rest").waitFor();
    await second.getByText("Connected", { exact: true }).waitFor();
    expect(await second.evaluate("said")).toEqual([]);
  });

  it("all show what comes while all of them are seen, each by its own filter, and others take over from one that is closed", async () => {
    const context = await enter();
    const filters = ["", "&event=agent:*", "&event=agent:step", "", "&session=s-turns", "", "", "&event=agent:step&session=s-turns"];
    const tabs: Page[] = [];
    for (const filter of filters) tabs.push(await openIn(context, `?view=live${filter}`));
    const isShownIn = async (text: string, among: readonly Page[]): Promise<void> => {
      await send(hub, { event: "agent:step", session: "s-turns", payload: { text } });
      for (const tab of among) await tab.getByText(text).waitFor();
    };
    await isShownIn("seen in eight windows", tabs);
    expect(await streams()).toBeLessThanOrEqual(4);
    for (let round = 0; tabs.length > 2; round++) {
      await tabs.splice(round % 2, 1)[0]?.close();
      await isShownIn(`one fewer, round ${round}`, tabs);
    }
    // With room for all, nobody waits, and the streams stay.
    await until(async () => (await streams()) === tabs.length);
    for (const tab of tabs) {
      await tab.getByText("Connected", { exact: true }).waitFor();
      expect(await tab.evaluate("said")).toEqual([]);
      expect(await tab.getByText("seen in eight windows").count()).toBe(1);
    }
  });

  it("are all signed out at once, and others are not", async () => {
    const [leaving, staying] = [await enter(), await enter()];
    const [one, two, resting] = [
      await openIn(leaving, "?view=live"),
      await openIn(leaving, "?view=sessions"),
      await openIn(leaving, "?view=flow"),
    ];
    const other = await openIn(staying, "?view=live");
    await hide(resting, true);
    await one.getByRole("button", { name: "Sign out" }).click();
    for (const tab of [one, two, resting]) await tab.getByText("You are signed out").waitFor();
    expect(await one.evaluate("localStorage.getItem('hookline-key')")).toBeNull();
    await send(hub, { event: "agent:step", payload: { text: "after they left" } });
    await other.getByText("after they left").waitFor();

    const link = await hub.link();
    const again = await leaving.newPage();
    await again.goto(link);
    await again.waitForURL(`${hub.url}/`);
    await two.getByText("Connected", { exact: true }).waitFor();

    expect((await hub.home.run("logout")).code).toBe(0);
    for (const tab of [again, two, other]) await tab.getByText("You are signed out").waitFor();
  });
});
