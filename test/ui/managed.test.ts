import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deriveKey, newRecoveryCode } from "../../packages/hookline/src/cli/protect/derived-key.ts";
import { encodeBase32, totpCode, totpStep } from "../../packages/hookline/src/hub/protect/totp.ts";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { createCliHome } from "../support/cli-home.ts";
import type { PageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";
import { allow } from "./cards.ts";
import { askAsAgent, CONFIG, send } from "./seed.ts";

const browser = await startBrowser();
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const key = randomBytes(20);
const secret = encodeBase32(key);
/** Each code counts once: this one is of the step after the one that turned protect on. */
const codeAt = (later: number): string => totpCode(key, totpStep(Date.now()) + later);

/** A hub in managed mode, in this process: it has its mode from its options, and users and groups of its own take root. */
async function startManaged(): Promise<{ readonly hub: Hub; readonly page: PageHub }> {
  const home = createCliHome();
  const config = join(home.folder, "hookline.toml");
  writeFileSync(config, CONFIG);
  const hub = await startHub({ state: home.state, runtime: home.state, config, port: 0, mode: "managed", onProblem: () => {} });
  const request = async (path: string, body?: object | string) => {
    const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(hub.file.url + path, {
      headers: { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": type, connection: "close" },
      ...(body !== undefined && { method: "POST", body: text }),
    });
  };
  const ask = async <T>(path: string, body?: object | string): Promise<T> => (await (await request(path, body)).json()) as T;
  const link = async (scopes: readonly string[] = ["read", "approve"]) => (await ask<{ url: string }>("/api/login/link", { scopes })).url;
  const page: PageHub = {
    home,
    url: new URL(await link()).origin,
    address: hub.file.url,
    ask,
    text: async (path) => (await request(path)).text(),
    link,
    stop: () => hub.close(),
    start: () => Promise.reject(new Error("It is not started again.")),
    async close() {
      await hub.close();
      await home.close();
    },
  };
  return { hub, page };
}

describe.skipIf(typeof browser === "string")("the dashboard of a managed hub", () => {
  let managed: PageHub;
  let context: BrowserContext;

  beforeAll(async () => {
    managed = (await startManaged()).page;
    const salt = randomBytes(16).toString("base64url");
    const { publicKey } = await deriveKey(newRecoveryCode(), salt);
    const told = await managed.ask("/api/protect/on", { totp: { secret, code: codeAt(-1) }, recovery: { salt, publicKey } });
    expect(told).toMatchObject({ isOn: true, totp: true, passphrase: false });
    context = await signIn(browser as Browser, managed);
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await managed?.close();
  });

  /** At both sizes, the page fits and its faults are none. */
  async function looksWell(page: Page, name: string): Promise<void> {
    expect(await faultsOf(page)).toEqual([]);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      const folder = process.env.HOOKLINE_SHOTS;
      if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}-${size.width}.png`) });
    }
  }

  it("asks for the code of an authenticator app, refuses a wrong one, and records the factor", async () => {
    const page = await context.newPage();
    await page.goto(`${managed.url}/?view=approvals`);
    const answer = askAsAgent(managed, "git push # with a code");
    await allow(page, "# with a code");
    const dialog = page.getByRole("dialog");
    const field = dialog.getByLabel("Code of your authenticator app");
    const confirm = dialog.getByRole("button", { name: "Confirm with the code" });
    await field.waitFor();
    expect(await dialog.getByLabel("Passphrase").count()).toBe(0);
    await field.fill("12345");
    expect(await confirm.isDisabled()).toBe(true);
    await looksWell(page, "totp");
    await field.fill(codeAt(0) === "000000" ? "000001" : "000000");
    await confirm.click();
    await page.getByText("The confirmation was refused: its code is wrong").waitFor();
    await allow(page, "# with a code");
    await field.fill(codeAt(0));
    await confirm.click();
    expect((await answer).hookSpecificOutput?.permissionDecision).toBe("allow");
    const { events } = await managed.ask<{ readonly events: object[] }>("/api/events?event=permission:replied");
    expect(events[0]).toMatchObject({ payload: { approval: { factor: "totp", verdict: "allow" } } });
    await page.close();
  });

  it("says of a decision that only a process claims that it is a claim, and where the event came from", async () => {
    const actor = { kind: "person", name: "Ann", at: "hub" };
    const step = { stage: "guard", round: 0, durationMs: 0.4, actor, action: "allow" };
    const decision = { verdict: "allow", by: "Ann", actor, modified: false, endLoop: false, trail: [step] };
    const payload = { tool: { name: "Bash", callId: "c1", input: { command: "git push --force" } } };
    await send(managed, { event: "tool:before", app: "claiming-agent", payload, decision });
    const page = await context.newPage();
    await page.goto(`${managed.url}/?view=live&source=claiming-agent`);
    await page.locator(".feed-line").first().click();
    const panel = page.getByRole("complementary", { name: "Event" });
    await panel.getByText("an HTTP request").waitFor();
    await panel.getByRole("tab", { name: /^Trail/ }).click();
    await panel.getByText("The process claiming-agent says so itself.").waitFor();
    await looksWell(page, "claim");
    await page.close();
  });
});
