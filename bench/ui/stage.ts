import { mkdirSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../../test/support/browser.ts";
import type { HubMethods } from "../line/processes/hub.ts";
import type { PublisherMethods } from "../line/processes/publisher.ts";
import type { StoreKeeperMethods } from "../line/processes/store-keeper.ts";
import { openSandbox, type Sandbox } from "../line/sandbox.ts";
import type { RunningProcess } from "../line/start-process.ts";

/** A hub with a full store, an agent's process on its line, and a browser: each in processes of its own. */
export interface Stage {
  readonly url: string;
  readonly hubPid: number;
  readonly browser: Browser;
  readonly publisher: RunningProcess<PublisherMethods>;
  /** Asks the hub as its operator: GET, or POST when there is a body. */
  ask<T>(path: string, body?: string): Promise<T>;
  link(): Promise<string>;
  /** A stream that resumes after a place. */
  stream(after: number): Promise<IncomingMessage>;
  /** A page in a browser that knows nothing yet but who it is. `script` runs before those of the page. */
  open(script?: string): Promise<Page>;
  close(): Promise<void>;
}

type Say = (progress: string) => void;

const SPAN_MS = 6 * 3_600_000;
const STEP = 100_000;
const VIEWPORT = { width: 1280, height: 800 };
const PROBE = fileURLToPath(new URL("probe.js", import.meta.url));

export async function openStage(events: number, say: Say): Promise<Stage> {
  const sandbox = openSandbox();
  const data = join(sandbox.folder, "data");
  mkdirSync(data, { mode: 0o700 });
  await fill(sandbox, join(data, "events.db"), { events, say });
  const hub = await sandbox.start<HubMethods>("hub", [data]);
  const { file, operator } = await hub.ask("info");
  const publisher = await sandbox.start<PublisherMethods>("publisher");
  await publisher.ask("attached");
  const browser = await startBrowser();
  if (typeof browser === "string") throw new Error(`The page cannot be measured: ${browser}`);

  const ask = async <T>(path: string, body?: string): Promise<T> => {
    const headers = {
      authorization: `Bearer ${operator}`,
      "content-type": path.endsWith("/ingest") ? "application/x-ndjson" : "application/json",
    };
    const answer = await fetch(file.url + path, { headers, ...(body !== undefined && { method: "POST", body }) });
    if (!answer.ok) throw new Error(`The hub answered ${answer.status} to ${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  // By the address: what logs in here is no browser, and does not find the page's name.
  const link = async (): Promise<string> => (await ask<{ readonly url: string }>("/api/login/link", '{"host":"127.0.0.1"}')).url;

  return {
    url: file.url,
    hubPid: hub.pid,
    browser,
    publisher,
    ask,
    link,
    stream: (after) => openStream(file.url, { token: operator, after }),
    async open(script = "") {
      const context = await browser.newContext({ locale: "en-GB", viewport: VIEWPORT });
      await context.addInitScript({ path: PROBE });
      if (script !== "") await context.addInitScript({ content: script });
      const code = new URL(await link()).hash.slice(1);
      const told = await context.request.post(`${file.url}/api/login`, { data: { code }, headers: { origin: file.url } });
      if (!told.ok()) throw new Error(`The page could not log in: ${await told.text()}`);
      return context.newPage();
    },
    async close() {
      await browser.close();
      await sandbox.close();
    },
  };
}

async function fill(sandbox: Sandbox, path: string, { events, say }: { readonly events: number; readonly say: Say }): Promise<void> {
  const keeper = await sandbox.start<StoreKeeperMethods>("store-keeper");
  const all = { count: events, spanMs: SPAN_MS, end: Date.now() };
  await keeper.ask("open", path);
  for (let from = 0; from < events; from += STEP) {
    await keeper.ask("fill", from, Math.min(events, from + STEP), all);
    say(`${Math.min(events, from + STEP).toLocaleString("en")} of ${events.toLocaleString("en")} events written`);
  }
  say("indexing their text");
  await keeper.ask("indexed");
  await keeper.ask("close");
  await keeper.stop();
}

/** A stream of the hub that resumes after a place. */
function openStream(url: string, { token, after }: { readonly token: string; readonly after: number }): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", "last-event-id": String(after) };
    get(`${url}/api/stream`, { headers, agent: false }, resolve).on("error", reject);
  });
}
