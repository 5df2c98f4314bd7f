import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Envelope } from "@hookline/core/sinks";
import { describe, expect, it, onTestFinished } from "vitest";
import { type HttpHub, makeEnvelope, startHttpHub, until } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import type { UsageRow } from "../store/usage-table.js";
import { addUp, toEntries } from "./add-up.js";
import { createFileUsage } from "./file-usage.js";
import { PRICES_CHECKED, priceTable } from "./price-table.js";
import { costOf, createPrices } from "./prices.js";
import { daysBetween } from "./read-usage.js";

const nothing = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
  costUsd: null,
};
const row = (more: Partial<UsageRow>): UsageRow => ({
  ...{ slice: 0, session: "s", app: "a", model: "", cwd: "", way: "request", requests: 1, ...nothing },
  ...more,
});
const sums = (...rows: readonly UsageRow[]) => addUp(toEntries(rows, createPrices([])));

describe("prices", () => {
  it("has a day for every price", () => {
    for (const { model, checked, input, output } of priceTable.values()) {
      expect(checked, model).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(output, model).toBeGreaterThanOrEqual(input);
    }
    expect(PRICES_CHECKED.oldest < PRICES_CHECKED.newest).toBe(true);
  });

  it.each([
    ["claude-sonnet-4-5-20250929", 3],
    ["us.anthropic.claude-opus-4-1-20250805-v1:0", 15],
    ["anthropic/claude-opus-4.5", 5],
    ["claude-sonnet-4-5[1m]", 3],
    ["gpt-5-2025-08-07", 1.25],
    ["models/gemini-3-pro-preview", 2],
  ])("knows %s by its name", (model, input) => expect(createPrices([]).find(model)?.input).toBe(input));

  it.each(["", "gpt-5-imagined", "claude-sonnet-9", "sonnet", "my-model"])("guesses no price for %j", (model) =>
    expect(createPrices([]).find(model)).toBeUndefined(),
  );

  it("takes the user's own price first", () => {
    const prices = createPrices([{ model: "claude-*", input: 1, output: 2 }]);
    expect(prices.find("claude-opus-4-5")?.input).toBe(1);
    // A cache without a price costs what input costs.
    expect(costOf({ model: "", input: 1, output: 2 }, { ...nothing, inputTokens: 1e6, cacheReadTokens: 1e6, outputTokens: 1e6 })).toBe(4);
  });
});

describe("adding up", () => {
  it("keeps unknown what no event reported", () => {
    expect(sums(row({ outputTokens: 7 }))).toEqual({ requests: 1, outputTokens: 7, unpricedTokens: 7 });
    expect(sums(row({}))).toEqual({ requests: 1, unpricedTokens: 0 });
  });

  it("estimates from prices, and says how much", () => {
    const known = row({ model: "claude-haiku-4-5", inputTokens: 1e6 });
    expect(sums(known, row({ model: "other", inputTokens: 5 }), row({ costUsd: 2, inputTokens: 1 }))).toMatchObject({
      costUsd: 3,
      estimatedUsd: 1,
      unpricedTokens: 5,
    });
  });

  it("counts tokens once that are reported by request and by turn", () => {
    const turn = row({ way: "turn", inputTokens: 30, outputTokens: 3, costUsd: 0.25 });
    expect(sums(row({ inputTokens: 30, outputTokens: 3 }), turn)).toMatchObject({ inputTokens: 30, costUsd: 0.25, unpricedTokens: 0 });
    expect(sums(turn)).toMatchObject({ inputTokens: 30, costUsd: 0.25 });
    expect(sums(row({ inputTokens: 30 }), { ...turn, session: "other" })).toMatchObject({ inputTokens: 60 });
  });

  it("shares the money of a turn among the models of its requests", () => {
    const entries = toEntries(
      [
        row({ model: "claude-haiku-4-5", inputTokens: 100 }),
        row({ model: "claude-opus-4-5", inputTokens: 100 }),
        row({ way: "turn", costUsd: 6 }),
      ],
      createPrices([]),
    );
    expect(entries.map(({ model, costUsd }) => [model, costUsd?.toFixed(2)])).toEqual([
      ["claude-haiku-4-5", "1.00"],
      ["claude-opus-4-5", "5.00"],
    ]);
  });
});

it("cuts a range at midnight", () => {
  const [since, until] = [new Date(2026, 2, 28, 12).getTime(), new Date(2026, 2, 31, 6).getTime()];
  expect(daysBetween(since, until).map((at) => new Date(at).getDate())).toEqual([28, 29, 30, 31, 31]);
});

async function put(hub: HttpHub, ...envelopes: Envelope[]): Promise<void> {
  await hub.parts.ingest.append(
    envelopes.map((envelope) => {
      const accepted = hub.parts.ingest.acceptEnvelope(envelope);
      if ("code" in accepted) throw new Error(accepted.reason);
      return accepted;
    }),
  );
}

describe("GET /api/usage", () => {
  it("adds up by model, agent, project, session and day", async () => {
    const hub = await startHttpHub();
    const session = { id: "s1" };
    const used = (at: number, payload: object, more: Partial<Envelope> = {}) =>
      makeEnvelope({ event: "llm:after", session, at: new Date(at).toISOString(), payload, ...more });
    const now = Date.now();
    await put(
      hub,
      makeEnvelope({ event: "session:start", session, payload: { cwd: "/srv/shop", agent: { model: "claude-haiku-4-5" } } }),
      used(now, { usage: { inputTokens: 1_000_000, cacheReadTokens: 0 } }),
      used(now, { usage: { inputTokens: 10 }, model: "unheard-of" }),
      used(now - 30 * 86_400_000, { usage: { inputTokens: 5 } }),
      makeEnvelope({ event: "budget:threshold", session, payload: { usage: { inputTokens: 77 } } }),
      makeEnvelope({ event: "agent:step", session: { id: "s2" } }),
    );
    const ask = async (query: string) => (await hub.ask(`/api/usage?${query}`)).json;
    const byModel = await ask("by=model");
    expect(byModel.total).toEqual({
      ...{ requests: 2, inputTokens: 1_000_010, cacheReadTokens: 0, costUsd: 1, estimatedUsd: 1, unpricedTokens: 10 },
    });
    expect(byModel.rows.map(({ key, costUsd }: { key: string; costUsd?: number }) => [key, costUsd])).toEqual([
      ["claude-haiku-4-5", 1],
      ["unheard-of", undefined],
    ]);
    expect(byModel.silent).toEqual([{ app: "agent", sessions: 1 }]);
    const keys = async (by: string) => (await ask(`by=${by}`)).rows.map(({ key }: { key: string }) => key);
    expect(await keys("project")).toEqual(["/srv/shop"]);
    expect(await keys("agent")).toEqual(["agent"]);
    expect(await keys("session")).toEqual(["s1"]);
    expect((await ask("by=day&since=40d")).rows).toHaveLength(2);
    expect((await hub.ask("/metrics")).text).toContain('hookline_usage_tokens_today{agent="agent",model="unheard-of",kind="input"} 10');
  });

  it("refuses a range that ends before it begins", async () => {
    const hub = await startHttpHub();
    expect((await hub.ask("/api/usage?since=1d&until=2d")).status).toBe(400);
    expect((await hub.ask("/api/usage?since=2000-01-01")).status).toBe(400);
  });
});

describe("usage that only a session file has", () => {
  const fixture = fileURLToPath(new URL("../../agents/claude-code/fixtures/session-2.1.325.jsonl", import.meta.url));
  const SESSION = "13c82d6c-bd0c-4527-be93-00a2694c7354";
  /** The messages with an id of their own in the fixture. */
  const REQUESTS = 7;

  async function hubThatReads() {
    const home = testFolder();
    const folder = join(home, ".claude", "projects", "-work-shop");
    mkdirSync(folder, { recursive: true });
    const hub = await startHttpHub();
    const problems: string[] = [];
    const taken = { times: 0 };
    const reader = createFileUsage({
      imports: {
        take: async (lines) => {
          const answer = await hub.parts.imports.take(lines);
          taken.times += 1;
          return answer;
        },
      },
      env: { HOME: home },
      onProblem: (text) => problems.push(text),
      pauseMs: 1,
    });
    onTestFinished(() => reader.close());
    onTestFinished(hub.parts.live.watch({}, reader.see));
    const stop = (transcript: string) =>
      put(
        hub,
        makeEnvelope({
          ...{ event: "finish:before", session: { id: SESSION }, at: "2026-11-17T15:18:00.000Z", payload: { transcript } },
          source: { app: "claude-code", host: "h", pid: 1, instance: "cc" },
        }),
      );
    const read = async () =>
      (await hub.ask("/api/usage?by=session&since=2026-11-17T00:00:00Z&until=2026-11-18T00:00:00Z")).json.total.requests;
    return { hub, home, folder, stop, read, problems, reader, taken };
  }

  it("is read at the end of a turn, once, although the hub watches the session", async () => {
    const { hub, folder, stop, read, problems, taken } = await hubThatReads();
    const path = join(folder, `${SESSION}.jsonl`);
    copyFileSync(fixture, path);
    await stop(path);
    await until(async () => (await read()) === REQUESTS);
    const first = taken.times;
    await stop(path);
    await put(hub, makeEnvelope({ event: "finish:before", payload: { transcript: "/etc/passwd" } }));
    await stop(path);
    // The whole file is read again.
    await until(() => taken.times >= 2 * first);
    expect(await read()).toBe(REQUESTS);
    expect((await hub.parts.store.session(SESSION))?.costUsd).toBeCloseTo(0.0014, 6);
    expect(problems).toEqual([]);
  });

  it("is not read from another place", async () => {
    const { home, stop, read, reader } = await hubThatReads();
    const path = join(home, `${SESSION}.jsonl`);
    copyFileSync(fixture, path);
    await stop(path);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await reader.close();
    expect(await read()).toBe(0);
  });
});
