import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Envelope } from "@hookline/core/sinks";
import { type CliHome, createCliHome } from "../support/cli-home.ts";

interface Waiting {
  readonly id: string;
  readonly hash: string;
}

/** A real hub in a process and a home of its own, which can be frozen, killed and started again. */
export class HubProcess {
  readonly home: CliHome;
  #running: ReturnType<CliHome["start"]> | undefined;

  constructor(policy: string) {
    this.home = createCliHome();
    this.home.write("config/hookline/hookline.toml", policy);
  }

  async start(): Promise<void> {
    if (this.#running !== undefined) return;
    const running = this.home.start("up", "--port", "0");
    this.#running = running;
    await until("the hub is up", () => {
      if (running.child.exitCode !== null) throw new Error(`The hub ended: ${running.err}`);
      return this.#isUp(running.child.pid);
    });
  }

  /** As `kill -9` does: its files stay. */
  async kill(): Promise<void> {
    this.#running?.child.kill("SIGKILL");
    await this.#running?.ended;
    this.#running = undefined;
  }

  async down(): Promise<void> {
    this.thaw();
    await this.home.run("down");
    await this.#running?.ended;
    this.#running = undefined;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  freeze(): void {
    this.#running?.child.kill("SIGSTOP");
  }

  thaw(): void {
    this.#running?.child.kill("SIGCONT");
  }

  /** The events of an instance, by their numbers. */
  async stored(instance: string, event?: string): Promise<readonly Envelope[]> {
    const found: Envelope[] = [];
    for (let cursor: number | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = `source=${instance}&limit=500${event === undefined ? "" : `&event=${event}`}`;
      const answer = (await this.#call(`/api/events?${page}${cursor === undefined ? "" : `&cursor=${cursor}`}`)) as {
        readonly events: readonly Envelope[];
        readonly cursor?: number;
      };
      found.push(...answer.events);
      cursor = answer.cursor;
    }
    return found.sort((left, right) => left.seq - right.seq);
  }

  /** Answers the call that waits, as soon as there is one. */
  async answer(reply: { readonly verdict: string; readonly [key: string]: unknown }): Promise<void> {
    let waiting: Waiting | undefined;
    await until("a call waits for a person", async () => {
      [waiting] = ((await this.#call("/api/approvals")) as { readonly approvals: readonly Waiting[] }).approvals;
      return waiting !== undefined;
    });
    const { id, hash } = waiting as Waiting;
    await this.#call(`/api/approvals/${id}`, { by: "ann", hash, ...reply });
  }

  /** Puts an operator's words into a session. */
  async inject(session: string, words: { readonly text: string; readonly interrupt?: boolean }): Promise<void> {
    await this.#call(`/api/sessions/${session}/inject`, { by: "ann", ...words });
  }

  async close(): Promise<void> {
    this.thaw();
    await this.home.close();
  }

  /** A killed hub leaves its file, and another process may have its port by now. */
  async #isUp(pid: number | undefined): Promise<boolean> {
    try {
      const { url, pid: written } = JSON.parse(readFileSync(join(this.home.state, "hub.json"), "utf8")) as { url: string; pid: number };
      return written === pid && (await fetch(`${url}/api/hooks/health`)).ok;
    } catch {
      return false;
    }
  }

  async #call(path: string, body?: object): Promise<unknown> {
    const read = (name: string) => JSON.parse(readFileSync(join(this.home.state, name), "utf8")) as { url: string; token: string };
    const headers = { Authorization: `Bearer ${read("operator.json").token}`, "Content-Type": "application/json" };
    const options = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${read("hub.json").url}${path}`, options);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text);
  }
}

const PATIENCE_MS = 60_000;

/** Looks again and again. Fails with the words that say what did not happen. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isSo()); await sleep(20))
    if (Date.now() > end) throw new Error(`This did not happen: ${what}.`);
}
