import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { faultsOf } from "../support/axe.ts";
import { startBrowser } from "../support/browser.ts";
import { LineClient } from "../support/line-client.ts";
import { type PageHub, startPageHub } from "../support/page-hub.ts";
import { signIn } from "../support/signed-in.ts";
import { allow, cardOf, chosen } from "./cards.ts";
import { askAsAgent, CONFIG, HOSTILE, seedWork, send } from "./seed.ts";
import { leaveWorker } from "./squatter.ts";

const browser = await startBrowser();
if (typeof browser === "string") console.warn(`The page is not tested: ${browser}`);

const VIEWS = {
  live: { query: "?view=live", shows: "call" },
  event: { query: "?view=live&decision=deny&source=web-agent", shows: "no-secrets denied", click: ".feed-line" },
  sessions: { query: "?view=sessions", shows: "web-agent-1" },
  timeline: { query: "?view=sessions&session=shop-agent-1", shows: "WebFetch" },
  approvals: { query: "?view=approvals", shows: "git push --force" },
  handlers: { query: "?view=handlers", shows: "old-rule" },
  flow: { query: "?view=flow", shows: "No process is connected" },
  overview: { query: "?view=overview", shows: "Top tools" },
  transcript: { query: "?view=transcript", shows: "Open a saved file" },
} as const;

const NOTHING = {
  sessions: "No sessions yet",
  approvals: "No call waits for you",
  handlers: "No handlers",
  flow: "No sinks",
  overview: "Nothing happened in this window",
};

describe.skipIf(typeof browser === "string")("the page", () => {
  let hub: PageHub;
  let context: BrowserContext;

  beforeAll(async () => {
    hub = await startPageHub(CONFIG);
    await seedWork(hub);
    context = await login(hub);
  });
  afterAll(async () => {
    await (browser as Browser).close();
    await hub?.close();
  });

  const open = async (query: string, from: BrowserContext = context): Promise<Page> => {
    const page = await from.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${hub.url}/${query}`);
    return page;
  };

  it("has every view, with real events, and no fault that axe-core knows of, in light and in dark, also where it is narrow", async () => {
    const waiting = askAsAgent(hub, "git push --force origin main");
    const page = await open("?view=approvals");
    const troubles: string[] = [];
    page.on("pageerror", ({ message }) => troubles.push(message));
    page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
    for (const [name, { query, shows, ...more }] of Object.entries(VIEWS)) {
      await page.setViewportSize({ width: 1180, height: 700 });
      await page.evaluate(`history.pushState(null, "", "${query}"); dispatchEvent(new PopStateEvent("popstate"))`);
      if ("click" in more) await page.locator(more.click).first().click();
      await page.getByText(shows).first().waitFor();
      expect([name, await faultsOf(page)]).toEqual([name, []]);
    }
    for (const [key, state] of [
      ["?", "dialog[open]"],
      ["n", "form input"],
      ["e", "form textarea"],
    ] as const) {
      await page.goto(`${hub.url}/?view=approvals`);
      await chosen(page, "git push --force");
      await page.keyboard.press(key);
      await page.locator(state).waitFor();
      expect([state, await faultsOf(page)]).toEqual([state, []]);
    }
    await page.keyboard.press("Escape");
    await chosen(page, "git push --force");
    await page.keyboard.press("y");
    await waiting;
    await page.locator(".settled").waitFor();
    expect(["settled", await faultsOf(page)]).toEqual(["settled", []]);
    expect(troubles).toEqual([]);
  });

  it("has no such fault where somebody is not signed in, nor in a file it exports", async () => {
    const stranger = await (browser as Browser).newContext({ reducedMotion: "reduce" });
    onTestFinished(() => stranger.close());
    const page = await open("?view=live", stranger);
    await page.getByText("This browser is not signed in").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${hub.url}/login`);
    await page.getByText("This link has no code").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto("about:blank");
    await page.setContent(await hub.text("/api/export?format=html&decision=deny&limit=5"));
    await page.locator("summary").first().click();
    await page.locator("pre").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("shows events as they come, and filters them in the words of `hookline tail`", async () => {
    const page = await open("?view=live");
    await page.getByText("Connected", { exact: true }).waitFor();
    await send(hub, { event: "agent:step", payload: { text: "a step that just came" } });
    await page.getByText("a step that just came").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("decision:deny event:tool:*");
    await page.keyboard.press("Enter");
    await page.waitForURL(/decision=deny/);
    await page.locator(".feed-line.is-deny").first().waitFor();
    expect(await page.locator(".feed-line:not(.is-deny)").count()).toBe(0);
    expect(new URL(page.url()).searchParams.getAll("event")).toEqual(["tool:*"]);
    await page.locator("search input").fill("foo:bar");
    await page.keyboard.press("Enter");
    await page.getByText('There is no field "foo"').waitFor();
    await page.goto(`${hub.url}/?view=live&text=nothing-has-this-word`);
    await page.getByText("No event matches").waitFor();
  });

  it("stops when paused, counts what comes meanwhile, and goes on", async () => {
    const page = await open("?view=live");
    await page.locator(".feed-line").first().waitFor();
    await page.keyboard.press("p");
    await send(hub, { event: "agent:step", payload: { text: "came while paused" } });
    await page.getByText("1 new event since").waitFor();
    expect(await page.getByText("came while paused").count()).toBe(0);
    await page.keyboard.press("p");
    await page.getByText("came while paused").waitFor();
  });

  it("shows hostile content as text, whatever it is", async () => {
    const page = await open("?view=live&session=s-hostile");
    const { script, ansi, bidi, long } = HOSTILE;
    await send(
      hub,
      { event: "prompt:submit", session: "s-hostile", app: script, payload: { prompt: script } },
      { event: "tool:before", session: "s-hostile", payload: { tool: { name: ansi, input: { command: bidi, [script]: ansi, long } } } },
    );
    await page.locator(".feed-line", { hasText: "<script>" }).waitFor();
    await page.locator(".feed-line", { hasText: "call" }).click();
    await page.getByText("show all 1.0 MB").waitFor();
    const text = (await page.locator("#page").textContent()) ?? "";
    expect(text).toContain("safe\\u202egpj.exe");
    expect(text).toContain("\\x1b[31mred");
    for (const active of ["\u001b", "\u202e", "\u0007"]) expect(text).not.toContain(active);
    await page.getByRole("tab", { name: "Raw" }).click();
    await page.getByText("Show all 1.0 MB").waitFor();
    expect(await page.evaluate("'hacked' in window")).toBe(false);
    expect(await page.locator("#page script, #page img").count()).toBe(0);
  });

  it("lets a waiting agent go on: allowed, denied with a reason, and edited, by keys", async () => {
    const page = await open("?view=approvals");
    const [first, second, third] = [askAsAgent(hub, "git push a"), askAsAgent(hub, "git push b"), askAsAgent(hub, "git push c")];
    const card = (command: string) => cardOf(page, command);
    for (const command of ["git push a", "git push b", "git push c"]) await card(command).waitFor();
    expect(await page.title()).toMatch(/^\(\d\) Hookline$/);
    await allow(page, "git push a");
    expect(JSON.stringify(await first)).toContain('"permissionDecision":"allow"');

    await card("git push b").getByRole("button", { name: "Deny…" }).click();
    await page.locator("input:focus").waitFor();
    await page.keyboard.type("Not on a Friday.");
    await page.keyboard.press("Enter");
    const denied = JSON.stringify(await second);
    expect(denied).toContain('"permissionDecision":"deny"');
    expect(denied).toContain("Not on a Friday.");

    await chosen(page, "git push c");
    await page.keyboard.press("e");
    await page.locator("textarea").fill("git status");
    await page.keyboard.press("Control+Enter");
    expect(JSON.stringify(await third)).toContain("git status");
    await page.getByText("No call waits for you").waitFor();
    await page.locator(".settled", { hasText: "Edited and allowed here. Bash git status" }).waitFor();

    const live = await open("?view=live&decision=allow&source=claude-code");
    await live.locator(".feed-line", { hasText: "git status" }).click();
    const panel = live.getByRole("complementary", { name: "Event" });
    await panel.locator(".diff-gone", { hasText: "git push c" }).waitFor();
    await panel.locator(".diff-new", { hasText: "git status" }).waitFor();
    await panel.getByRole("tab", { name: /Trail/ }).click();
    await panel
      .getByText(/\d+ did not match/)
      .first()
      .click();
    await panel.getByText("no-secrets did not match tool.input.command contains '.env'").first().waitFor();
  });

  it("lets only one of two tabs answer, and tells the other", async () => {
    const [one, two] = [await open("?view=approvals"), await open("?view=approvals")];
    const answer = askAsAgent(hub, "git push twice");
    const buttons = [one, two].map((page) =>
      page.getByRole("article").filter({ hasText: "git push twice" }).locator(".button-main:not([aria-disabled])"),
    );
    // Handles, not locators: the slower of the two is pressed also when its card is about to go.
    const pressed = await Promise.all(buttons.map((button) => button.elementHandle()));
    await Promise.all(pressed.map((button) => button?.dispatchEvent("click")));
    await answer;
    const told = await Promise.all([one, two].map((page) => page.locator(".notice").textContent()));
    expect(told.toSorted()).toEqual([expect.stringContaining("Allowed."), expect.stringContaining("This call was already answered")]);
  });

  it("may only look with a link that is for looking, and shows nothing without one", async () => {
    const guest = await login(hub, ["read"]);
    onTestFinished(() => guest.close());
    const answer = askAsAgent(hub, "git push by a guest");
    const page = await open("?view=approvals", guest);
    const card = page.getByRole("article").filter({ hasText: "by a guest" });
    await card.waitFor();
    expect(await card.getByRole("button", { name: "Allow", exact: true }).isDisabled()).toBe(true);
    await page.getByText("hookline open --approve").waitFor();
    const owner = await open("?view=approvals");
    await owner.goto(await hub.link(["read"]));
    await owner.getByText("This browser can already approve").waitFor();
    await owner.getByRole("link", { name: "Approvals" }).click();
    await allow(owner, "by a guest");
    await answer;
    const stranger = await (browser as Browser).newContext();
    onTestFinished(() => stranger.close());
    await (await open("?view=live", stranger)).getByText("This browser is not signed in").waitFor();
  });

  it("cannot be made to act by a page of another origin", async () => {
    const answer = askAsAgent(hub, "git push from elsewhere");
    const { id, hash } = await waitingFor(hub, "from elsewhere");
    const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<h1>elsewhere</h1>"));
    await once(other.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void other.close());
    const page = await context.newPage();
    onTestFinished(() => page.close());
    const body = JSON.stringify({ verdict: "allow", hash });
    for (const host of ["127.0.0.1", "localhost"]) {
      await page.goto(`http://${host}:${(other.address() as AddressInfo).port}/`);
      for (const type of ["application/json", "text/plain"])
        for (const mode of ["cors", "no-cors"]) {
          const options = JSON.stringify({ method: "POST", mode, credentials: "include", headers: { "content-type": type }, body });
          await page.evaluate(`fetch("${hub.url}/api/approvals/${id}", ${options}).then(() => 0, () => 0)`);
        }
      const read = `fetch("${hub.url}/api/events", { credentials: "include" }).then((answer) => answer.text(), () => "refused")`;
      expect(await page.evaluate(read)).toBe("refused");
    }
    expect(await waitingFor(hub, "from elsewhere")).toMatchObject({ id });
    await hub.ask(`/api/approvals/${id}`, { verdict: "deny", hash });
    expect(JSON.stringify(await answer)).toContain('"deny"');
  });

  it("allows exactly this for good, and forgets it again", async () => {
    const page = await open("?view=approvals");
    const always = page.getByRole("region", { name: "Always allowed", exact: true }).getByRole("row");
    const first = askAsAgent(hub, "git push for good");
    const card = page.getByRole("article").filter({ hasText: "git push for good" });
    await card.getByLabel("Always allow exactly this").check();
    await allow(page, "git push for good");
    expect(JSON.stringify(await first)).toContain('"allow"');
    expect(JSON.stringify(await askAsAgent(hub, "git push for good"))).toContain('"allow"');
    await always.filter({ hasText: "git push for good" }).getByRole("button", { name: "Ask again" }).click();
    await always.filter({ hasText: "git push for good" }).waitFor({ state: "detached" });
  });

  it("has what handlers did in the chosen time, switches a rule on, and tries one with a sample event", async () => {
    const page = await open("?view=handlers");
    await page.getByRole("button", { name: "no-secrets" }).click();
    await page.getByText(/^calls [1-9]\d*, denied [1-9].*p95 /).waitFor();
    await page.getByRole("tab", { name: "1 h" }).press("ArrowLeft");
    await page.getByText("Last 15 min").waitFor();
    expect(page.url()).toContain("minutes=15");
    await page.goto(`${hub.url}/?view=handlers&minutes=10080`);
    expect(await page.getByRole("tab", { name: "7 d" }).getAttribute("aria-selected")).toBe("true");
    await page.getByRole("row").filter({ hasText: "old-rule" }).getByRole("button", { name: "Enable" }).click();
    await page.getByText("Switched on.").waitFor();
    await page.getByRole("button", { name: "old-rule" }).click();
    await page.getByRole("button", { name: "Test with a sample event" }).click();
    await page.locator(".test-result").waitFor();

    // A process that calls its handler by the name of a rule gets no buttons that switch the rule.
    const { token, line } = JSON.parse(readFileSync(join(hub.home.state, "hub.json"), "utf8"));
    const process = await LineClient.attached(line, token);
    onTestFinished(() => void process.socket.destroy());
    const rows = [{ owner: "rules" }, { health: null, stats: { lastFiredAt: 1e20 }, tool: 5, owner: { toString: null } }];
    process.socket.on("data", () => {
      if (process.frames.splice(0).some(({ type }) => type === "report"))
        process.say({
          type: "handlers",
          handlers: rows.map((row, id) => ({ id, event: "tool:before", name: `no-secrets ${id}`, ...row })),
        });
    });
    await page.reload();
    const theirs = page.getByRole("region", { name: /^In agent/ });
    await theirs.getByRole("button", { name: "no-secrets 0" }).click();
    await theirs.getByText("Owner").waitFor();
    expect(await theirs.locator("tbody").getByRole("button").count()).toBe(2);
    await theirs.getByRole("button", { name: "Calls" }).press("Enter");
    await theirs.locator("th[aria-sort=descending]", { hasText: "Calls" }).waitFor();
    expect(page.url()).toContain("sort=-calls");
  });

  it("exports what the filter finds", async () => {
    const page = await open("?view=live&decision=deny");
    await page.getByText("Export", { exact: true }).click();
    for (const format of ["JSONL", "CSV", "HTML"]) {
      const href = await page.getByRole("link", { name: format }).getAttribute("href");
      expect(href).toContain("decision=deny");
      const read = `fetch(${JSON.stringify(href)}).then(async (answer) => [answer.status, await answer.text()])`;
      const [status, text] = (await page.evaluate(read)) as [number, string];
      expect([format, status, text.includes("Secrets are not for agents.")]).toEqual([format, 200, true]);
    }
  });

  it("says what to do next where there is nothing yet, starts the scripted agent, and marks a rule for a tool that there is not", async () => {
    const fresh = await startPageHub("");
    onTestFinished(() => fresh.close());
    const own = await login(fresh);
    onTestFinished(() => own.close());
    const page = await own.newPage();
    await page.goto(fresh.url);
    for (const [view, shows] of Object.entries(NOTHING)) {
      await page.evaluate(`history.pushState(null, "", "?view=${view}"); dispatchEvent(new PopStateEvent("popstate"))`);
      await page.getByText(shows).waitFor();
      expect([view, await faultsOf(page)]).toEqual([view, []]);
    }
    await page.goto(`${fresh.url}/?view=live`);
    await page.getByRole("button", { name: "Run the demo agent" }).click();
    await page.locator(".feed-line", { hasText: "demo-agent" }).first().waitFor();
    await fresh.home.run("attach", "gemini");
    fresh.home.write("config/hookline/hookline.toml", '[[rule]]\nname = "typo"\ntool = "run_shel_command"\ndo = "block"\n');
    // It reads the rules anew.
    await fresh.ask("/api/selftest", {});
    await page.goto(`${fresh.url}/?view=handlers`);
    await page.getByRole("row").filter({ hasText: "typo" }).getByText("no such tool").waitFor();
    await page.getByRole("button", { name: "typo" }).click();
    await page.getByText('Did you mean "run_shell_command"?').waitFor();
  });

  it("opens a file of saved events without sending it anywhere", async () => {
    const page = await open("?view=transcript");
    const { events } = await hub.ask<{ readonly events: readonly object[] }>("/api/events?limit=20&event=tool:before");
    const bad = [{ decision: { verdict: "deny", by: { toString: null } } }, { at: "never" }].map((wrong) => ({ ...events[0], ...wrong }));
    const buffer = Buffer.from(`${[...events, ...bad].map((event) => JSON.stringify(event)).join("\n")}\nnot json\n`);
    await page.locator("input[type=file]").setInputFiles({ name: "saved.jsonl", mimeType: "application/jsonl", buffer });
    await page.getByText("saved.jsonl: 20 events").waitFor();
    await page.getByText("3 lines of the file could not be read").waitFor();
    await page.locator(".feed-line").first().click();
    await page.getByRole("tab", { name: "Raw" }).waitFor();
  });

  it("lists its keys behind ?, and goes where they say", async () => {
    const page = await open("?view=live");
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "Handlers", level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Live", level: 1 }).waitFor();
  });

  it("has nothing to do with what another server left at the hub's address, a service worker or a cookie", {
    timeout: 120_000,
  }, async () => {
    const own = await (browser as Browser).newContext();
    onTestFinished(() => own.close());
    await hub.stop();
    await leaveWorker(own, hub.address).finally(() => hub.start());
    const page = await own.newPage();
    await page.goto(`${hub.address}/login`);
    expect(await page.title()).toBe("squatter");
    await page.goto(await hub.link());
    await page.waitForURL(`${hub.url}/`);
    await page.getByText("Connected", { exact: true }).waitFor();
    expect(await own.cookies(hub.address)).toEqual([]);
    expect(await own.cookies(hub.url)).toMatchObject([{ name: "hookline", domain: new URL(hub.url).hostname, httpOnly: true }]);
    // At its own address it is taken away when the browser looks for a newer one, which it does now and then.
    const workers = `navigator.serviceWorker.getRegistrations()
      .then((found) => Promise.allSettled(found.map((one) => one.update())))
      .then((looks) => looks.flatMap(({ reason }) => reason === undefined ? [] : [String(reason)]))
      .then((reasons) => navigator.serviceWorker.getRegistrations().then((left) => [
        ...left.map(({ installing, waiting, active }) => [installing, waiting, active].map((one) => one?.state).join()), ...reasons]))`;
    // A page that the worker controls can keep it: each look has a new one.
    const look = () => page.goto(hub.address).then(() => page.evaluate(workers));
    await expect.poll(look, { timeout: 90_000, interval: 1_000 }).toEqual([]);
    await page.goto(`${hub.address}/login`);
    await page.getByText("This link has no code").waitFor();
  });

  it("survives a restart of the hub: says so, and goes on without a gap", async () => {
    const page = await open("?view=live&event=agent:step");
    await page.getByText("Connected", { exact: true }).waitFor();
    await send(hub, { event: "agent:step", payload: { text: "before the restart" } });
    await page.locator(".feed-line").first().waitFor();
    const answer = askAsAgent(hub, "git push into the void").catch(() => undefined);
    const inbox = await open("?view=approvals");
    await inbox.locator(".approval", { hasText: "into the void" }).waitFor();
    await hub.stop();
    await page.getByText(/The hub (is restarting|does not answer|has stopped)/).waitFor();
    await inbox.getByText("You can answer these calls when it is back").waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goBack();
    await page.locator(".feed-line").first().waitFor();
    expect(await inbox.getByRole("button", { name: "Allow", exact: true }).isDisabled()).toBe(true);
    await hub.start();
    await inbox.getByText(/The agent (stopped waiting|has to ask again)/).waitFor();
    await answer;
    await send(hub, { event: "agent:step", payload: { text: "after the restart" } });
    await page.getByText("after the restart").waitFor();
    await page.getByText("The hub was restarted").waitFor();
    await page.getByText("Connected", { exact: true }).waitFor();
  });
});

interface Waiting {
  readonly id: string;
  readonly hash: string;
}

/** The call that waits with these words in it, as soon as it does. */
async function waitingFor(hub: PageHub, words: string): Promise<Waiting> {
  for (;;) {
    const { approvals } = await hub.ask<{ readonly approvals: readonly Waiting[] }>("/api/approvals");
    const found = approvals.find((approval) => JSON.stringify(approval).includes(words));
    if (found !== undefined) return found;
    await sleep(20);
  }
}

const login = (hub: PageHub, scopes?: readonly string[]) => signIn(browser as Browser, hub, scopes && { scopes });
