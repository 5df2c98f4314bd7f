import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { startTlsProxy } from "../support/tls-proxy.ts";
import { allow, cardOf } from "./cards.ts";
import { askAsAgent, CONFIG } from "./seed.ts";

const proxy = await startTlsProxy(mkdtempSync(join(tmpdir(), "hl-tls-")), "hookline.test");
const browser = await startBrowser(proxy.trust);
const PATIENCE_MS = 60_000;
const PHONE = { width: 390, height: 844 };

// Everything as a user runs it: the commands, the hub, a proxy with TLS as a process, and a browser with an authenticator.
describe.skipIf(typeof browser === "string")("a phone", () => {
  const messages: string[] = [];
  const chat = createServer(async (incoming, outgoing) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    messages.push(text);
    outgoing.end("{}");
  });
  let hub: PageHub;
  let context: BrowserContext;
  let page: Page;
  /** The last confirmed answer, as the phone sent it. */
  let sent: { readonly path: string; readonly body: string; readonly headers: { readonly [name: string]: string } } | undefined;

  beforeAll(async () => {
    await new Promise<void>((resolve) => chat.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/`;
    hub = await startPageHub(
      `[hub]\npublicUrl = "${proxy.origin}"\n${CONFIG}\n[[notify]]\ntype = "webhook"\nname = "chat"\nurl = "${url}"\nbody = '{"text": "{tool.input.command}", "link": "{link}"}'\n`,
    );
    await proxy.aim(Number(new URL(hub.address).port));
    context = await phoneContext();
    page = await context.newPage();
    page.on("request", async (made) => {
      if (made.headers()["hookline-confirm"] === undefined) return;
      const headers = await made.allHeaders();
      sent = { path: new URL(made.url()).pathname, body: made.postData() ?? "", headers };
    });
    await withAuthenticator(page);
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
    proxy.close();
    chat.close();
  });

  async function phoneContext(): Promise<BrowserContext> {
    const made = await (browser as Browser).newContext({ locale: "en-GB", reducedMotion: "reduce", viewport: PHONE, hasTouch: true });
    made.setDefaultTimeout(PATIENCE_MS);
    return made;
  }

  async function withAuthenticator(of: Page) {
    const devtools = await of.context().newCDPSession(of);
    await devtools.send("WebAuthn.enable");
    const options = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", { options });
    return { devtools, authenticatorId };
  }

  const phoneLink = async (...flags: string[]): Promise<string> => {
    const { code, out, err } = await hub.home.run("open", "--phone", ...flags);
    expect(code, err).toBe(0);
    expect(out).toContain("▄▄▄▄▄");
    return out.trim().split("\n").at(-1) ?? "";
  };
  /** The link in the message about this call. */
  const linkAbout = async (words: string): Promise<string> => {
    await expect.poll(() => messages.some((text) => text.includes(words)), { timeout: PATIENCE_MS }).toBe(true);
    return JSON.parse(messages.find((text) => text.includes(words)) ?? "{}").link;
  };
  /** Denies what still waits, also after a failed test. */
  async function denyAll(): Promise<void> {
    const { approvals } = await hub.ask<{ readonly approvals: { readonly id: string; readonly hash: string }[] }>("/api/approvals");
    for (const { id, hash } of approvals) await hub.ask(`/api/approvals/${id}`, { verdict: "deny", hash });
  }
  afterEach(denyAll);
  const operator = () => JSON.parse(readFileSync(join(hub.home.state, "operator.json"), "utf8")).token as string;
  const agentToken = () => JSON.parse(readFileSync(join(hub.home.state, "hub.json"), "utf8")).token as string;

  it("looks only, and says so, until a passkey was made there and its number typed on the hub's machine", async () => {
    await page.goto(await phoneLink());
    await page.waitForURL(`${proxy.origin}/`);
    const cookie = (await context.cookies())[0];
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: "Strict" });
    const answer = askAsAgent(hub, "git push # before");
    await page.goto(`${proxy.origin}/?view=approvals`);
    await page.getByText("This phone may look, not answer.").waitFor();
    await cardOf(page, "# before").waitFor();
    expect(await cardOf(page, "# before").getByRole("button", { name: "Allow", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Make a passkey" }).click();
    const shown = await page.locator(".phone-code .recovery-code").textContent();
    const number = (shown ?? "").replace(/\s/g, "");
    expect(number).toMatch(/^\d{6}$/);
    const wrong = String((Number(number) + 1) % 1_000_000).padStart(6, "0");
    expect(await hub.home.run("phones", "accept", wrong)).toMatchObject({ code: 1, err: expect.stringContaining("not the number") });
    // The phone itself cannot accept it.
    const own = await page.evaluate(
      async ([code, key]) =>
        (
          await fetch("/api/phone/accept", {
            method: "POST",
            headers: { "content-type": "application/json", "hookline-key": localStorage.getItem(key ?? "") ?? "" },
            body: JSON.stringify({ code }),
          })
        ).status,
      [number, "hookline-key"],
    );
    expect(own).toBe(403);
    expect(await hub.home.run("phones", "accept", number)).toMatchObject({ code: 0 });
    await page.getByText("This phone can answer now").waitFor();
    await allow(page, "# before");
    expect((await answer).hookSpecificOutput?.permissionDecision).toBe("allow");
    const { events } = await hub.ask<{ readonly events: object[] }>("/api/events?event=permission:replied");
    expect(events[0]).toMatchObject({ payload: { approval: { factor: "passkey", verdict: "allow", given: { via: "phone" } } } });
    expect((await hub.home.run("phones")).out).toContain("passkey");
  });

  it("fits a phone, and axe finds nothing wrong", async () => {
    const answer = askAsAgent(hub, "git push # looked at");
    await page.goto(`${proxy.origin}/?view=approvals`);
    await cardOf(page, "# looked at").waitFor();
    if (process.env.HOOKLINE_SHOTS !== undefined) await page.screenshot({ path: `${process.env.HOOKLINE_SHOTS}/phone.png` });
    // The page's policy lets no script in, also axe: it is looked at with another page of the same context that has it bypassed.
    const seen = await (browser as Browser).newContext({ ...PHONE_OPTIONS, bypassCSP: true, storageState: await context.storageState() });
    const looked = await seen.newPage();
    await looked.goto(`${proxy.origin}/?view=approvals`);
    await cardOf(looked, "# looked at").waitFor();
    expect(await faultsOf(looked)).toEqual([]);
    await seen.close();
    await cardOf(page, "# looked at").getByRole("button", { name: "Deny…" }).click();
    await cardOf(page, "# looked at")
      .getByRole("button", { name: /^Deny( Enter)?$/ })
      .click();
    expect((await answer).hookSpecificOutput?.permissionDecision).toBe("deny");
  });

  it("opens a link of a message on exactly that call, once; a program that fetches it changes nothing", async () => {
    const others = [askAsAgent(hub, "git push # other one"), askAsAgent(hub, "git push # other two")];
    const answer = askAsAgent(hub, "git push # linked");
    const link = await linkAbout("# linked");
    expect(link).toMatch(/^https:\/\/hookline\.test:\d+\/#to\.[\w.-]+$/);
    expect(await linkAbout("# other two")).not.toBe(link);
    const [id = ""] = new URL(link).hash.slice("#to.".length).split(".");
    // Chat services fetch links to show what they lead to. The part behind the # is not sent.
    for (let i = 0; i < 3; i++)
      expect((await proxy.send("/", { headers: { "user-agent": "Slackbot-LinkExpanding 1.0" } })).status).toBe(200);
    expect(await hub.text("/api/approvals")).toContain("# linked");
    await page.goto(link);
    await page.waitForURL(`${proxy.origin}/?view=approvals&id=${id}`);
    await page.locator('[aria-current="true"]', { hasText: "# linked" }).first().waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByText("This link was used before.").waitFor();
    await allow(page, "# linked");
    expect((await answer).hookSpecificOutput?.permissionDecision).toBe("allow");
    await denyAll();
    await Promise.all(others);
  });

  it("asks a browser that is not signed in for the passkey first, and then opens the call", async () => {
    await page.evaluate("localStorage.clear()");
    await context.clearCookies();
    const answer = askAsAgent(hub, "git push # signed out");
    const link = await linkAbout("# signed out");
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByText("# signed out").count()).toBe(0);
    const stranger = await phoneContext();
    const strange = await stranger.newPage();
    await withAuthenticator(strange);
    await strange.goto(link);
    await strange.getByRole("button", { name: "Sign in with a passkey" }).click();
    await strange.getByText("The passkey was not used").waitFor();
    expect(await strange.getByText("# signed out").count()).toBe(0);
    await stranger.close();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await cardOf(page, "# signed out").waitFor();
    await allow(page, "# signed out");
    expect((await answer).hookSpecificOutput?.permissionDecision).toBe("allow");
  });

  it("refuses other hosts, origins, tokens and routes, and what was confirmed before", async () => {
    const { path, body, headers } = sent ?? expect.fail("nothing was confirmed");
    const waits = askAsAgent(hub, "git push # attacked");
    await expect.poll(() => hub.text("/api/approvals"), { timeout: PATIENCE_MS }).toContain("# attacked");
    const { approvals } = await hub.ask<{ readonly approvals: { readonly id: string; readonly hash: string }[] }>("/api/approvals");
    const { id, hash } = approvals.find((row) => JSON.stringify(row).includes("# attacked")) ?? expect.fail("it waits");
    const answer = { verdict: "allow", hash };
    const where = `/api/approvals/${id}`;
    const { cookie = "", "hookline-key": key = "", "hookline-confirm": confirm = "" } = headers;
    const login = { cookie, "hookline-key": key, origin: proxy.origin };
    const attempts: readonly (readonly [string, string, object | undefined, { readonly [name: string]: string }, number, string])[] = [
      ["without a passkey", where, answer, login, 401, "HL_CONFIRM"],
      ["with the confirmation of another answer", where, answer, { ...login, "hookline-confirm": confirm }, 403, "made for something else"],
      ["the same answer again", path, JSON.parse(body), { ...login, "hookline-confirm": confirm }, 409, "HL_APPROVAL"],
      ["another host", where, answer, { ...login, host: "evil.example" }, 421, "HL_FOREIGN_REQUEST"],
      ["another origin", where, answer, { ...login, origin: "https://evil.example" }, 403, "HL_FOREIGN_REQUEST"],
      ["no origin", where, answer, { cookie, "hookline-key": key }, 403, "HL_FOREIGN_REQUEST"],
      ["the operator's token", where, answer, { authorization: `Bearer ${operator()}` }, 403, "Tokens do not work"],
      ["an agent's token", where, answer, { authorization: `Bearer ${agentToken()}` }, 403, "Tokens do not work"],
      ["an agent's token, to read", "/api/events", undefined, { authorization: `Bearer ${agentToken()}` }, 403, "Tokens do not work"],
      ["no login", where, answer, { origin: proxy.origin }, 401, "HL_UNAUTHORIZED"],
      ["a route of agents", "/api/hooks/health", undefined, {}, 404, "HL_NOT_FOUND"],
      ["to pause the guards", "/api/pause", { minutes: 5 }, login, 403, "on the hub's machine"],
      ["to make a link", "/api/login/link", { scopes: ["read"] }, login, 403, "on the hub's machine"],
      ["to turn protect on", "/api/protect/off", {}, login, 403, "on the hub's machine"],
      ["to accept a phone", "/api/phone/accept", { code: "123456" }, login, 403, "on the hub's machine"],
      [
        "a Host of this machine",
        where,
        answer,
        { ...login, host: new URL(hub.address).host, origin: hub.address },
        421,
        "changed its Host",
      ],
      ["a push service on this machine", "/api/phone/push", PUSH, login, 400, "does not send"],
      ["a link for another call", "/api/phone/link", { token: `${id}.${"A".repeat(72)}` }, login, 410, "damaged"],
    ];
    for (const [what, to, given, more, status, why] of attempts)
      expect([what, await proxy.send(to, { ...(given !== undefined && { body: given }), headers: more })]).toEqual([
        what,
        { status, text: expect.stringContaining(why) },
      ]);
    // Past the proxy, as a program on this machine would: the public name alone gives nothing.
    const direct = await straight(where, { host: new URL(proxy.origin).host, authorization: `Bearer ${operator()}` }, answer);
    expect(direct).toBe(403);
    const spoofed = await straight(
      where,
      { host: new URL(hub.address).host, "x-forwarded-host": new URL(proxy.origin).host, ...login },
      answer,
    );
    expect(spoofed).toBe(421);
    expect(await hub.text("/api/approvals")).toContain("# attacked");
    await hub.ask(where, { verdict: "deny", hash });
    expect((await waits).hookSpecificOutput?.permissionDecision).toBe("deny");
  });

  function straight(path: string, headers: { readonly [name: string]: string }, body: object): Promise<number> {
    return new Promise((resolve, reject) => {
      const to = new URL(path, hub.address);
      const outgoing = request(
        to,
        { method: "POST", headers: { "content-type": "application/json", ...headers }, agent: false },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        },
      );
      outgoing.on("error", reject).end(JSON.stringify(body));
    });
  }

  it("can be installed, and its worker shows what is pushed; elsewhere there is no worker", async () => {
    await context.grantPermissions(["notifications"], { origin: proxy.origin });
    await page.goto(`${proxy.origin}/?view=approvals`);
    const { installabilityErrors } = await (await context.newCDPSession(page)).send("Page.getInstallabilityErrors");
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((error) => error !== "in-incognito")).toEqual([]);
    const told = await page.evaluate(async () => {
      const policies = (
        window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): { createScriptURL(of: string): string } } }
      ).trustedTypes;
      const other = (() => {
        try {
          policies.createPolicy("other", {});
          return "made";
        } catch {
          return "refused";
        }
      })();
      const policy = policies.createPolicy("hookline-worker", { createScriptURL: (of: string) => of });
      await navigator.serviceWorker.register(policy.createScriptURL("/worker.js"));
      const { active } = await navigator.serviceWorker.ready;
      return [other, new URL(active?.scriptURL ?? "").pathname];
    });
    expect(told).toEqual(["refused", "/worker.js"]);
    const devtools = await context.newCDPSession(page);
    // A browser without a screen shows no notifications, so the worker keeps what it would show.
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(() => {
      const scope = globalThis as unknown as { shown: unknown[]; registration: { showNotification: unknown } };
      scope.shown = [];
      scope.registration.showNotification = async (title: string, { data }: { readonly data: unknown }) => scope.shown.push([title, data]);
    });
    const registered = new Promise<string>((resolve) => {
      devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const [found] = registrations.filter(({ scopeURL }) => scopeURL.startsWith(proxy.origin));
        if (found !== undefined) resolve(found.registrationId);
      });
    });
    await devtools.send("ServiceWorker.enable");
    const registrationId = await registered;
    const data = JSON.stringify({ title: "A call waits for your answer", text: "", link: `${proxy.origin}/#to.x` });
    await devtools.send("ServiceWorker.deliverPushMessage", { origin: proxy.origin, registrationId, data });
    await expect
      .poll(() => worker?.evaluate(() => (globalThis as unknown as { shown: unknown[] }).shown), { timeout: PATIENCE_MS })
      .toEqual([["A call waits for your answer", { link: `${proxy.origin}/#to.x` }]]);
  });

  it("asks for push messages again if the hub has forgotten the browser", async () => {
    const browsers = async () => (await hub.ask<{ readonly browsers: number }>("/api/phone")).browsers;
    expect(await browsers()).toBe(0);
    // A browser without a push service.
    await page.addInitScript((made) => {
      PushManager.prototype.getSubscription = async () => ({ toJSON: () => made }) as unknown as PushSubscription;
    }, KEPT_PUSH);
    await page.goto(`${proxy.origin}/?view=approvals`);
    await page.getByRole("button", { name: "Notifications on" }).waitFor();
    expect(await browsers()).toBe(1);
  });

  it("is shut out when its passkey is removed", async () => {
    const { passkeys } = await hub.ask<{ readonly passkeys: readonly { readonly name: string }[] }>("/api/phone");
    expect(await hub.home.run("phones", "remove", passkeys[0]?.name ?? "")).toMatchObject({ code: 0 });
    await page.goto(`${proxy.origin}/?view=approvals`);
    await page.getByText("The hub shows its events only in a browser that was opened with a one-time link.").waitFor();
  });
});

const PHONE_OPTIONS = { locale: "en-GB", reducedMotion: "reduce", viewport: PHONE, hasTouch: true } as const;
const PUSH = {
  endpoint: "https://127.0.0.1:4665/push",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
};
/** No such host exists. */
const KEPT_PUSH = { ...PUSH, endpoint: "https://push.invalid/kept" };
