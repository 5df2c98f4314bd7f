import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";
import { cardOf } from "./cards.ts";
import { askAsAgent, CONFIG } from "./seed.ts";

const browser = await startBrowser();
const PASSPHRASE = "correct horse battery staple";

describe.skipIf(typeof browser === "string")("protect in the dashboard", () => {
  let hub: PageHub;
  let context: BrowserContext;
  let page: Page;
  let devtools: CDPSession;
  let authenticator = "";
  /** The last confirmed request, as the dashboard sent it. */
  let sent: { readonly path: string; readonly body: string; readonly header: string } | undefined;

  beforeAll(async () => {
    hub = await startPageHub(CONFIG);
    context = await signIn(browser as Browser, hub);
    page = await context.newPage();
    page.on("request", (request) => {
      const header = request.headers()["hookline-confirm"];
      if (header !== undefined) sent = { path: new URL(request.url()).pathname, body: request.postData() ?? "", header };
    });
    devtools = await context.newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    const options = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    } as const;
    ({ authenticatorId: authenticator } = await devtools.send("WebAuthn.addVirtualAuthenticator", { options }));
    await page.goto(`${hub.url}/?view=approvals`);
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await stop();
    await hub?.close();
  });

  /** The browser may tell of a request after the hub has answered it. */
  async function sentTo(path: RegExp): Promise<NonNullable<typeof sent>> {
    await expect.poll(() => sent?.path).toMatch(path);
    return sent as NonNullable<typeof sent>;
  }

  const readState = (name: string) => JSON.parse(readFileSync(join(hub.home.state, name), "utf8"));
  /** As a person at the machine does: the request to stop would need a confirmation. */
  async function stop(): Promise<void> {
    const { pid } = readState("hub.json");
    process.kill(pid, "SIGTERM");
    for (;;) {
      try {
        process.kill(pid, 0);
      } catch {
        return;
      }
      await sleep(20);
    }
  }
  /** Every program of the user can do this. */
  async function postAsOperator(path: string, body: string, header?: string): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await fetch(`${readState("hub.json").url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${readState("operator.json").token}`,
        "content-type": "application/json",
        connection: "close",
        ...(header !== undefined && { "hookline-confirm": header }),
      },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  }
  const openProtect = () => page.getByRole("button", { name: /^Protect: / }).click();
  const dialog = () => page.getByRole("dialog");
  const allow = async (words: string) => {
    await cardOf(page, words).getByRole("button", { name: "Allow", exact: true }).click();
  };

  it("is off at first, says what that means, and is turned on with a passkey", async () => {
    await openProtect();
    await dialog().getByText("Any program under your account can approve calls").waitFor();
    const code = (await dialog().locator(".recovery-code").textContent()) ?? "";
    expect(code).toMatch(/^([0-9A-Z]{4}-){7}[0-9A-Z]{4}$/);
    expect(await dialog().getByRole("button", { name: "Turn on with a passkey" }).isDisabled()).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    await dialog().getByLabel("I have kept the code").check();
    await dialog().getByRole("button", { name: "Turn on with a passkey" }).click();
    await page.getByRole("heading", { name: "Protect is on" }).waitFor({ timeout: 60_000 });
    expect(readState("protect.json").passkeys).toMatchObject([{ rpId: new URL(hub.url).hostname }]);
    expect(JSON.stringify(readState("protect.json"))).not.toContain(code);
    await dialog().getByRole("button", { name: "Close" }).click();
    expect(await hub.ask<{ readonly mode: string }>("/api/status")).toMatchObject({ mode: "protect" });
  });

  it("approves with the passkey, which counts once, for this answer, and is recorded", async () => {
    const answer = askAsAgent(hub, "git push # first");
    await allow("# first");
    expect((await answer).hookSpecificOutput?.permissionDecision).toBe("allow");
    const { body, header } = await sentTo(/^\/api\/approvals\//);
    const { events } = await hub.ask<{ readonly events: object[] }>("/api/events?event=permission:replied");
    expect(events[0]).toMatchObject({ payload: { approval: { factor: "passkey", verdict: "allow" } } });

    const next = askAsAgent(hub, "git push # second");
    await cardOf(page, "# second").waitFor();
    const { approvals } = await hub.ask<{ readonly approvals: { readonly id: string; readonly hash: string }[] }>("/api/approvals");
    const [{ id, hash } = { id: "", hash: "" }] = approvals;
    const own = JSON.stringify({ verdict: "allow", hash });
    const attempts = [
      [`/api/approvals/${id}`, own, undefined, 401, "HL_CONFIRM"],
      [`/api/approvals/${id}`, own, header, 403, "it was made for something else"],
      [`/api/approvals/${id}`, body, header, 409, "HL_APPROVAL_CHANGED"],
      ["/api/pause", "{}", header, 403, "it was made for something else"],
      ["/api/protect/off", "{}", undefined, 401, "HL_CONFIRM"],
    ] as const;
    for (const [where, text, given, status, why] of attempts)
      expect([where, await postAsOperator(where, text, given)]).toEqual([where, { status, text: expect.stringContaining(why) }]);
    await page.getByText("A confirmation was refused: it was made for something else.").first().waitFor();
    await page.getByRole("button", { name: "Acknowledge" }).first().click();
    await page.getByText("A confirmation was refused").waitFor({ state: "hidden" });
    const acknowledged = await sentTo(/^\/api\/alarms/);
    const replayed = await postAsOperator(acknowledged.path, acknowledged.body, acknowledged.header);
    expect(replayed).toEqual({ status: 403, text: expect.stringContaining("it was used before") });
    await allow("# second");
    expect((await next).hookSpecificOutput?.permissionDecision).toBe("allow");
  });

  it("without the passkey nothing is approved; a passphrase, set with the passkey, confirms as well", async () => {
    await openProtect();
    await dialog().getByLabel("New passphrase").fill(PASSPHRASE);
    await dialog().getByLabel("The same again").fill(PASSPHRASE);
    await dialog().getByRole("button", { name: "Set a new passphrase" }).click();
    await dialog().getByText("Set.", { exact: true }).waitFor({ timeout: 60_000 });
    await dialog().getByRole("button", { name: "Close" }).click();
    await devtools.send("WebAuthn.setUserVerified", { authenticatorId: authenticator, isUserVerified: false });
    const answer = askAsAgent(hub, "git push # third");
    await allow("# third");
    const confirm = page.getByRole("dialog", { name: "Confirm" });
    await confirm.getByText('Bash {"command":"git push # third"}').waitFor();
    await confirm.getByLabel("Passphrase").fill("not the passphrase at all");
    await confirm.getByRole("button", { name: "Confirm with the passphrase" }).click();
    await confirm.getByText("That is not the passphrase.").waitFor({ timeout: 60_000 });
    await confirm.getByLabel("Passphrase").fill(PASSPHRASE);
    await confirm.getByRole("button", { name: "Confirm with the passphrase" }).click();
    expect((await answer).hookSpecificOutput?.permissionDecision).toBe("allow");
    await devtools.send("WebAuthn.setUserVerified", { authenticatorId: authenticator, isUserVerified: true });
  });

  it("keeps its name when the hub moves to another port, so that the passkey still works", async () => {
    await stop();
    expect((await hub.home.run("up", "--detach", "--port", "0")).code).toBe(0);
    const { url } = (await postAsOperator("/api/login/link", '{"scopes":["read","approve"]}').then(({ text }) => JSON.parse(text))) as {
      readonly url: string;
    };
    const moved = new URL(url);
    expect(moved.hostname).toBe(new URL(hub.url).hostname);
    expect(moved.port).not.toBe(new URL(hub.url).port);
    await page.goto(url);
    await page.waitForURL(`${moved.origin}/`);
    await page.goto(`${moved.origin}/?view=handlers`);
    await openProtect();
    await dialog().getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("heading", { name: "Protect is off" }).waitFor({ timeout: 60_000 });
  });
});
