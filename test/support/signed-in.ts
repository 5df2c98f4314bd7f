import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import type { PageHub } from "./page-hub.ts";

/** Shorter than a test may take, so that a failure says what was waited for. */
const PATIENCE_MS = 60_000;

interface SignIn extends BrowserContextOptions {
  /** What the link is for; to view and to approve if nothing is said. */
  readonly scopes?: readonly string[];
}

/** A browser of its own, as far as cookies and storage go, in which somebody has opened a link. */
export async function signIn(browser: Browser, hub: PageHub, { scopes, ...options }: SignIn = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(await hub.link(scopes));
  await page.waitForURL(`${hub.url}/`);
  await page.close();
  return context;
}
