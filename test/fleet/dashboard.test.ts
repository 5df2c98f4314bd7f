import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream } from "@nats-io/jetstream";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminFolder } from "../../packages/fleet/src/credentials/admin-folder.ts";
import { accessOf, type Credential } from "../../packages/fleet/src/credentials/credential.ts";
import { freePort, type NatsProcess, startNats } from "../../packages/fleet/src/dev/nats-process.ts";
import { connectServer } from "../../packages/fleet/src/nats/connect.ts";
import { subjects } from "../../packages/fleet/src/nats/subjects.ts";
import { encodeAnswer } from "../../packages/fleet/src/questions/answer.ts";
import { type HostQuestion, questionKey } from "../../packages/fleet/src/questions/question.ts";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { type CliHome, createCliHome } from "../support/cli-home.ts";
import { natsForTests } from "../support/nats-server.ts";
import { startOnTerminal } from "../support/on-terminal.ts";
import { startTlsProxy } from "../support/tls-proxy.ts";
import { allow, cardOf } from "../ui/cards.ts";
import { until } from "./fleet-fixture.ts";

const nats = natsForTests();
const PUBLIC = "https://fleet.example.com";
const proxy = nats.isMissing ? undefined : await startTlsProxy(mkdtempSync(join(tmpdir(), "hl-tls-")), new URL(PUBLIC).hostname);
const browser = proxy === undefined ? "no server" : await startBrowser(proxy.trust);
const RULE =
  '[[rule]]\nname = "ask-before-push"\nmatch = "tool.input.command contains \'git push\'"\ndo = "ask"\nmessage = "It leaves this machine."\n';
const PATIENCE_MS = 60_000;
const PASSPHRASE = "correct horse battery staple";

interface Decided {
  readonly verdict: string;
  readonly by?: string;
  readonly reason?: string;
}

// Everything as users run it: commands, hubs as processes, a server, a browser with an authenticator.
describe.skipIf(typeof browser === "string")("people in a fleet hub's dashboard", { timeout: 180_000 }, () => {
  const central = createCliHome();
  const laptop = createCliHome();
  let server: NatsProcess | undefined;
  let origin = "";
  let alex: Person;
  let vera: Person;
  /** The last answer that a browser sent. */
  let sent: { readonly statement: string; readonly response: { [field: string]: unknown } } | undefined;

  interface Person {
    readonly context: BrowserContext;
    readonly page: Page;
  }

  const operator = (home: CliHome) => {
    const { url } = JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8"));
    const { token } = JSON.parse(readFileSync(join(home.state, "operator.json"), "utf8"));
    return { url, token };
  };
  async function ask<T>(home: CliHome, path: string, body?: object): Promise<T> {
    const { url, token } = operator(home);
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as T;
  }
  const run = async (home: CliHome, ...args: string[]): Promise<string> => {
    const { code, out, err } = await home.run(...args);
    expect(code, `${args.join(" ")}\n${err}`).toBe(0);
    return out;
  };
  /** A tool call on the laptop, which a rule there asks about. */
  const call = (command: string): Promise<Decided> => {
    const decided = ask<Decided>(laptop, "/api/decide", {
      event: "tool:before",
      payload: { cwd: "/work", session: { id: "s-1" }, tool: { name: "Bash", input: { command } } },
      source: { app: "shop-agent" },
      session: { id: "s-1" },
      record: true,
      wait: true,
      timeoutMs: 120_000,
    });
    decided.catch(() => {});
    return decided;
  };
  const questions = async (): Promise<readonly HostQuestion[]> =>
    (await ask<{ readonly questions: readonly HostQuestion[] }>(central, "/api/fleet/questions")).questions;
  const questionWith = async (words: string): Promise<HostQuestion> => {
    await until(`"${words}" is shown`, async () => (await questions()).some(({ payload }) => JSON.stringify(payload).includes(words)));
    return (await questions()).find(({ payload }) => JSON.stringify(payload).includes(words)) ?? expect.fail(words);
  };
  const alarms = async (home: CliHome): Promise<string> => JSON.stringify(await ask(home, "/api/alarms"));

  /** A browser of its own with an authenticator in which the person is verified. */
  async function browserOf(): Promise<Person> {
    const context = await (browser as Browser).newContext({
      locale: "en-GB",
      reducedMotion: "reduce",
      viewport: { width: 1280, height: 800 },
      // The certificate of the public address is made for this test.
      ignoreHTTPSErrors: true,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    const options = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    } as const;
    await devtools.send("WebAuthn.addVirtualAuthenticator", { options });
    page.on("request", (request) => {
      if (request.url().endsWith("/questions/answer")) sent = JSON.parse(request.postData() ?? "");
    });
    return { context, page };
  }

  /** As an admin and the person do it. */
  async function enrol(name: string, ...options: readonly string[]): Promise<Person> {
    const person = await browserOf();
    const command = central.start("fleet", "people", "enrol", name, ...options);
    await until("the link is printed", () => /#enrol\.\S+/.test(command.out));
    const link = /\S+#enrol\.\S+/.exec(command.out)?.[0] ?? "";
    origin = new URL(link).origin;
    await person.page.goto(link);
    await person.page.getByText(`You are ${name}`).waitFor();
    expect(await faultsOf(person.page)).toEqual([]);
    expect(person.page.url()).not.toContain("enrol.");
    await person.page.getByRole("button", { name: "Make a passkey" }).click();
    const { code, out, err } = await command.ended;
    expect([code, out], err).toEqual([0, expect.stringContaining(`${name} can sign in at ${origin}`)]);
    expect(err).not.toContain("Warning");
    // The hub hears of the new roster in a moment; a person presses the button again until then.
    const button = person.page.getByRole("button", { name: "Sign in with a passkey" });
    const signedIn = person.page.getByText(new RegExp(`^${name}, `));
    await until("the passkey signs in", async () => {
      if (await button.isEnabled({ timeout: 1000 }).catch(() => false)) await button.click({ timeout: 1000 }).catch(() => {});
      return signedIn.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
    });
    return person;
  }

  beforeAll(async () => {
    const port = await freePort();
    await run(central, "fleet", "init", "--listen", `127.0.0.1:${port}`, "--admin", "root");
    server = await startNats({ program: nats.program, folder: join(central.state, "fleet-admin"), port });
    await run(central, "fleet", "init");
    await run(central, "fleet", "people", "add", "alex", "--role", "approve");
    await run(central, "fleet", "people", "add", "vera");
    await run(central, "fleet", "up", "--detach", "--port", "0", "--name", "central");
    laptop.write("config/hookline/hookline.toml", RULE);
    await run(laptop, "up", "--detach", "--port", "0");
    const line = /^hookline fleet join (\S+)$/m.exec(await run(central, "fleet", "invite", "laptop-anna"))?.[1] ?? "";
    await run(laptop, "fleet", "join", line);
    await until("the host is present", async () => {
      const { hosts = [] } = await ask<{ readonly hosts?: { readonly isPresent: boolean }[] }>(central, "/api/fleet");
      return hosts.some(({ isPresent }) => isPresent);
    });
  }, 180_000);
  afterAll(async () => {
    await (browser as Browser)?.close();
    proxy?.close();
    await central.close();
    await laptop.close();
    await server?.stop();
  }, 60_000);

  it("enrol a passkey with the link of an admin, once, and sign in with it", async () => {
    alex = await enrol("alex");
    const people = JSON.parse(await run(central, "fleet", "people", "--json")) as { name: string; passkeys: { rpId: string }[] }[];
    expect(people.find(({ name }) => name === "alex")?.passkeys).toMatchObject([{ rpId: new URL(origin).hostname }]);
    await alex.page.getByText("alex, approve").waitFor();
  });

  it("show nothing to a browser that is not signed in", async () => {
    const stranger = await browserOf();
    await stranger.page.goto(`${origin}/?view=hosts`);
    await stranger.page.getByRole("heading", { name: "Sign in to the fleet" }).waitFor();
    expect(await faultsOf(stranger.page)).toEqual([]);
    await stranger.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await stranger.page.getByText("The passkey was not used").waitFor();
    for (const path of ["/api/fleet", "/api/fleet/questions", "/api/fleet/audit", "/api/events", "/api/sessions", "/api/stream"])
      expect([path, await stranger.page.evaluate(`fetch("${path}").then(({ status }) => status)`)]).toEqual([path, 401]);
    await stranger.context.close();
  });

  it("allow a call on a host with the passkey: the call runs, and the first answer counts", async () => {
    const decided = call("git push origin main # first");
    const question = await questionWith("# first");
    await alex.page.goto(`${origin}/?view=approvals`);
    await cardOf(alex.page, "# first").getByText("laptop-anna").waitFor();
    expect(await faultsOf(alex.page)).toEqual([]);
    await alex.page.setViewportSize({ width: 1280, height: 800 });
    await allow(alex.page, "# first");
    expect(await decided).toMatchObject({ verdict: "allow", by: "alex" });
    await alex.page.getByText("Allowed on laptop-anna").waitFor();
    const replied = await ask<{ readonly events: object[] }>(laptop, "/api/events?event=permission:replied");
    expect(replied.events[0]).toMatchObject({ payload: { approval: { verdict: "allow", given: { via: "fleet", proof: "passkey" } } } });
    // The same answer again comes too late.
    expect(await post(alex, { statement: sent?.statement, response: sent?.response })).toMatchObject({
      status: 409,
      text: expect.stringContaining("HL_APPROVAL_GONE"),
    });
    expect(question.host).toBe("laptop-anna");
  });

  /** What a script in the person's page could send. */
  const post = ({ page }: Person, body: object): Promise<{ readonly status: number; readonly text: string }> =>
    page.evaluate(`(async () => {
      const answer = await fetch("/api/fleet/questions/answer", {
        method: "POST",
        headers: { "content-type": "application/json", "hookline-key": localStorage.getItem(${JSON.stringify("hookline-key")}) ?? "" },
        body: ${JSON.stringify(JSON.stringify(body))},
      });
      return { status: answer.status, text: await answer.text() };
    })()`);

  it("cannot answer with the role view, in the page or past it", async () => {
    vera = await enrol("vera");
    const decided = call("git push origin main # second");
    const question = await questionWith("# second");
    await vera.page.goto(`${origin}/?view=approvals`);
    await cardOf(vera.page, "# second").waitFor();
    await vera.page.getByText("vera has the role view, which can view but not answer").waitFor();
    expect(await cardOf(vera.page, "# second").getByRole("button", { name: "Allow", exact: true }).isDisabled()).toBe(true);
    const statement = statementFor(question, "vera");
    expect(await post(vera, { statement, response: sent?.response })).toMatchObject({
      status: 403,
      text: expect.stringContaining("role view"),
    });
    // In another person's name neither.
    expect(await post(vera, { statement: statementFor(question, "alex"), response: sent?.response })).toMatchObject({ status: 403 });
    expect(
      await vera.page.evaluate(
        'fetch("/api/stop", { method: "POST", body: "{}", headers: { "content-type": "application/json" } }).then(({ status }) => status)',
      ),
    ).toBe(403);
    await alex.page.goto(`${origin}/?view=approvals`);
    await cardOf(alex.page, "# second").getByRole("button", { name: "Deny…" }).click();
    await alex.page.getByLabel(/Why not/).fill("not on a Friday");
    await alex.page.keyboard.press("Enter");
    expect(await decided).toMatchObject({ verdict: "deny", by: "alex", reason: expect.stringContaining("not on a Friday") });
  });

  function statementFor({ host, id, hash, shown, expiresAt }: HostQuestion, by: string): string {
    return JSON.stringify({ format: 1, fleet: fleetOf(), host, question: id, hash, shown, verdict: "allow", by, until: expiresAt });
  }
  const admin = (): Credential => AdminFolder.open(join(central.state, "fleet-admin"))?.tenant("main")?.admin ?? expect.fail("no admin");
  const fleetOf = (): string => admin().fleet;

  it("are refused by the hub and by the host itself if the assertion is replayed or forged", async () => {
    const decided = call("git push origin main # third");
    const question = await questionWith("# third");
    const statement = statementFor(question, "alex");
    const response = sent?.response ?? {};
    // The hub does not let it through, so that the question stays open.
    expect(await post(alex, { statement, response })).toMatchObject({ status: 403, text: expect.stringContaining("did not sign it") });
    expect(await post(alex, { statement })).toMatchObject({ status: 403 });
    expect((await questions()).map(({ id }) => id)).toContain(question.id);
    // A fleet hub or a server that passes it on gains nothing: the host checks.
    const connection = await connectServer(accessOf(admin()), { name: "forger" });
    try {
      const subject = subjects.answer(question.host, questionKey(question));
      await jetstream(connection).publish(subject, encodeAnswer({ statement, proof: { kind: "passkey", response } }));
    } finally {
      await connection.close();
    }
    await until("the host's alarm", async () => (await alarms(laptop)).includes("passkey did not sign it"));
    const { approvals } = await ask<{ readonly approvals: { readonly id: string; readonly hash: string }[] }>(laptop, "/api/approvals");
    const [{ id, hash } = { id: "", hash: "" }] = approvals;
    await ask(laptop, `/api/approvals/${encodeURIComponent(id)}`, { verdict: "deny", hash, by: "local" });
    expect(await decided).toMatchObject({ verdict: "deny", by: "local" });
  });

  it("always allow a call for every host, and see who did what", async () => {
    const decided = call("git push origin release");
    await questionWith("origin release");
    await alex.page.goto(`${origin}/?view=approvals`);
    await cardOf(alex.page, "origin release").getByLabel("Always allow exactly this, on every host").check();
    await allow(alex.page, "origin release");
    expect(await decided).toMatchObject({ verdict: "allow", by: "alex" });
    await until("it is allowed for good", async () => (await run(central, "fleet", "always")).includes("alex"));
    expect(await call("git push origin release")).toMatchObject({ verdict: "allow" });
    await alex.page.goto(`${origin}/?view=audit`);
    const row = alex.page.getByRole("row").filter({ hasText: "call allowed" }).filter({ hasText: "alex" }).first();
    await row.getByText("at the hub central").waitFor();
    await alex.page.getByText("passkey enrolled").first().waitFor();
    expect(await faultsOf(alex.page)).toEqual([]);
  });

  it("see the hosts, one host, and its events and sessions alone, wide and narrow", async () => {
    const { page } = alex;
    await page.goto(`${origin}/?view=hosts`);
    await page.getByRole("row").filter({ hasText: "laptop-anna" }).getByText("present").waitFor();
    expect(["hosts", await faultsOf(page)]).toEqual(["hosts", []]);
    await page.getByRole("link", { name: "laptop-anna" }).click();
    await page.getByRole("heading", { name: "laptop-anna" }).waitFor();
    await page.getByText("git push origin release").first().waitFor();
    expect(["host", await faultsOf(page)]).toEqual(["host", []]);
    await page.goto(`${origin}/?view=live`);
    await page.getByLabel("Host").selectOption("laptop-anna");
    await page.waitForURL(/host=laptop-anna/);
    await page.locator(".feed-line .feed-host").first().waitFor();
    expect(["live", await faultsOf(page)]).toEqual(["live", []]);
    await page.goto(`${origin}/?view=sessions&host=laptop-anna`);
    await page.getByRole("link", { name: "s-1" }).waitFor();
    expect(["sessions", await faultsOf(page)]).toEqual(["sessions", []]);
  });

  it("are signed out when they are removed", async () => {
    await run(central, "fleet", "people", "remove", "alex");
    await alex.page.goto(`${origin}/?view=hosts`);
    await until("nothing is shown", async () => {
      await alex.page.reload();
      return alex.page
        .getByRole("heading", { name: "Sign in to the fleet" })
        .waitFor({ timeout: 2000 })
        .then(
          () => true,
          () => false,
        );
    });
  });

  it("answer at the public address over TLS, also for a host with protect, which takes no key in a file", async () => {
    central.write("config/hookline/hookline.toml", `[hub]\npublicUrl = "${PUBLIC}"\n`);
    await run(central, "down");
    await run(central, "fleet", "up", "--detach", "--port", "0", "--name", "central");
    await proxy?.aim(Number(new URL(operator(central).url).port));
    await protectLaptop();
    const pat = await run(central, "fleet", "people", "add", "pat", "--role", "approve").then(() => enrol("pat", "--at", PUBLIC));
    expect(origin).toBe(PUBLIC);
    const decided = call("git push origin main # fourth");
    const { id, hash } = await questionWith("# fourth");
    await run(central, "approve", id, "--fleet", "--hash", hash.slice(0, 12));
    await until("the host's alarm", async () => (await alarms(laptop)).includes("does not prove that a person gave it"));
    const again = call("git push origin main # fifth");
    await questionWith("# fifth");
    await pat.page.goto(`${PUBLIC}/?view=approvals`);
    await allow(pat.page, "# fifth");
    expect(await again).toMatchObject({ verdict: "allow", by: "pat" });
    const { events } = await ask<{ readonly events: object[] }>(laptop, "/api/events?event=permission:replied");
    expect(events[0]).toMatchObject({ payload: { approval: { given: { via: "fleet", proof: "passkey" } } } });
    // The refused one still waits for the host's own approver.
    const { approvals } = await ask<{ readonly approvals: readonly { readonly id: string }[] }>(laptop, "/api/approvals");
    expect(approvals).toMatchObject([{ id }]);
    void decided;
    expect(await faultsOf(pat.page)).toEqual([]);
  });

  /** Turns `hookline protect` on, as its user does. */
  async function protectLaptop(): Promise<void> {
    const screen = startOnTerminal(laptop, ["protect", "on"]);
    await screen.shows("New passphrase: ");
    screen.press(`${PASSPHRASE}\r`);
    await screen.shows("The same again: ");
    screen.press(`${PASSPHRASE}\r`);
    await screen.shows("Type its last four characters: ");
    const code = screen.out.match(/([0-9A-Z]{4}-){7}[0-9A-Z]{4}/g)?.at(-1) ?? "";
    screen.press(`${code.slice(-4)}\r`);
    expect(await screen.ended).toBe(0);
  }
});
