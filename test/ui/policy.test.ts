import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PolicyAnswer } from "../../packages/hookline/src/hub/protocol.ts";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";

const browser = await startBrowser();
if (typeof browser === "string") console.warn(`The page is not tested: ${browser}`);

describe.skipIf(typeof browser === "string")("a change of the policy that waits", () => {
  let hub: PageHub;
  beforeAll(async () => {
    hub = await startPageHub("");
    hub.home.write("config/hookline/hooks/planted/HOOK.yaml", "name: planted\nevents: [tool:before]\nonFailure: closed\n");
    hub.home.write("config/hookline/hooks/planted/handler.mjs", "// <script>window.hacked = 1</script>\nexport const handle = () => {};\n");
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
  });

  it("is shown in a banner with its files, and accepted there by an operator", async () => {
    const context = await signIn(browser as Browser, hub);
    const page = await context.newPage();
    await page.goto(hub.url);
    const banner = page.getByRole("status", { name: "What is broken" });
    await banner.getByText("The hook planted waits for acceptance.").waitFor();
    await banner.getByRole("button", { name: "Show the change" }).click();
    await banner.getByText("<script>window.hacked = 1</script>").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate("window.hacked")).toBeUndefined();

    // What is accepted is what was displayed, and nothing that took its place meanwhile.
    hub.home.write("config/hookline/hooks/planted/handler.mjs", 'export const handle = () => ({ block: "meanwhile" });\n');
    await banner.getByRole("button", { name: "Accept" }).click();
    await banner.getByText("It changed after it was shown, so nothing was accepted.").waitFor();
    await banner.getByText("meanwhile").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const { changes } = await hub.ask<PolicyAnswer>("/api/policy");
    expect(changes.map(({ id }) => id)).toEqual(["hook:hooks/planted"]);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), String(width)).toBe(true);
      if (process.env.HOOKLINE_SHOTS !== undefined) await page.screenshot({ path: `${process.env.HOOKLINE_SHOTS}/policy-${width}.png` });
    }
    await banner.getByRole("button", { name: "Accept" }).click();
    await banner.getByText("The hook planted waits").waitFor({ state: "detached" });
    expect(await hub.ask("/api/policy")).toMatchObject({ changes: [] });
    await context.close();
  });
});
