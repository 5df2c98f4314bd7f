import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";
import { CONFIG } from "./seed.ts";

const browser = await startBrowser();
const VIEWS = ["live", "approvals", "sessions", "overview", "handlers", "flow", "transcript"];
const BROKEN = `${CONFIG}\n[[rule]]\nname = "no-rm"\nmatch = "tool.input.command =~ '(('"\ndo = "block"\n`;
const FILE = "config/hookline/hookline.toml";

describe.skipIf(typeof browser === "string")("what the page shows", { timeout: 60_000 }, () => {
  let hub: PageHub;
  let context: BrowserContext;

  beforeAll(async () => {
    hub = await startPageHub(BROKEN);
    context = await signIn(browser as Browser, hub);
  }, 60_000);
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
  }, 60_000);

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
    expect(text).toMatch(/hookline\.toml:26:\d+: "match" is wrong.*no regular expression/);
    expect(text).toContain("is denied until it is mended. Run: hookline rules list");
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
});
