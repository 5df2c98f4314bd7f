import { inertJson, inertText, shellWord } from "@hookline/core/internal/text";
import { SHADOW_EVENT } from "../../hub/ingest/own-events.js";
import type { EventsAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { agoText } from "../format/times.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { text, time } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { readRules } from "./read-rules.js";

interface ShadowOptions {
  readonly config?: string;
  readonly since?: string;
  readonly json?: boolean;
}

export const command: CommandModule<ShadowOptions> = {
  define(command) {
    command
      .option("--since <time>", "from this time on: 7d, 12h or 2026-01-31 (default: 30d)", time)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--json", "print JSON")
      .addHelpText("after", '\nA rule with mode = "shadow" decides nothing. The hub records what it would have said.')
      .addHelpText("after", examples("hookline rules shadow", "hookline rules promote git-history/discard"));
  },

  async run(terminal, { config, since = "30d", json = false }) {
    const { rules } = await readRules(terminal, config);
    const { told, isCut } = await readShadows(await connectHub(terminal.env), since);
    const waiting = rules.filter(({ mode, enabled }) => mode === "shadow" && enabled !== false);
    const names = [...new Set([...waiting.map(({ name }) => name), ...told.map(({ rule }) => rule)])];
    const rows = names.map((name) =>
      rowOf(
        name,
        told.filter(({ rule }) => rule === name),
        rules.find((rule) => rule.name === name),
      ),
    );
    if (json) terminal.print(inertJson(JSON.stringify(rows, undefined, 2)));
    else print(rows, isCut, terminal);
    return EXIT.ok;
  },
};

interface Told {
  readonly rule: string;
  readonly would: string;
  readonly about: string;
  readonly at: number;
}

const PAGE = 1_000;
const MAX_PAGES = 20;

async function readShadows(hub: HubClient, since: string): Promise<{ readonly told: readonly Told[]; readonly isCut: boolean }> {
  const told: Told[] = [];
  let cursor: number | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      event: SHADOW_EVENT,
      since,
      limit: String(PAGE),
      ...(cursor !== undefined && { cursor: String(cursor) }),
    });
    const answer = await hub.get<EventsAnswer>("/api/events", query);
    told.push(...answer.events.flatMap(toldIn));
    cursor = answer.cursor;
    if (cursor === undefined) return { told, isCut: false };
  }
  return { told, isCut: true };
}

function toldIn({ at, payload }: EventsAnswer["events"][number]): Told[] {
  const { rule, would, about } = (payload ?? {}) as { readonly [field: string]: unknown };
  if (typeof rule !== "string" || typeof would !== "string") return [];
  return [{ rule, would, about: typeof about === "string" ? about : "", at: Date.parse(at) }];
}

interface Row {
  readonly rule: string;
  /** What it would have said: the action of the rule. */
  readonly would: string;
  readonly times: number;
  readonly lastAt?: string;
  /** Different calls, the most frequent first. */
  readonly calls: readonly { readonly about: string; readonly times: number }[];
  readonly isShadow: boolean;
}

const MAX_CALLS = 5;

function rowOf(name: string, told: readonly Told[], rule: { readonly do: string; readonly mode?: string } | undefined): Row {
  const counts = new Map<string, number>();
  for (const { about } of told) counts.set(about, (counts.get(about) ?? 0) + 1);
  const calls = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_CALLS);
  const last = Math.max(0, ...told.map(({ at }) => at));
  return {
    rule: name,
    would: told[0]?.would ?? rule?.do ?? "",
    times: told.length,
    ...(last > 0 && { lastAt: new Date(last).toISOString() }),
    calls: calls.map(([about, times]) => ({ about, times })),
    isShadow: rule?.mode === "shadow",
  };
}

function print(rows: readonly Row[], isCut: boolean, { print, say, columns, paint }: Terminal): void {
  if (rows.length === 0) return say('No rule has mode = "shadow". To try a rule without its effect, write that into its table.');
  const cells = rows.map(({ rule, would, times, lastAt, isShadow }) => [
    rule,
    would,
    String(times),
    lastAt === undefined ? "never" : agoText(Date.parse(lastAt)),
    isShadow ? "shadow" : "no longer in shadow mode",
  ]);
  for (const line of tableLines(["RULE", "WOULD", "TIMES", "LAST", "STATE"], cells, columns)) print(line);
  for (const { rule, calls } of rows.filter((row) => row.calls.length > 0)) {
    print(`\n${paint("dim", inertText(rule))}`);
    for (const { about, times } of calls) print(`  ${times} × ${inertText(about)}`);
  }
  if (isCut) say(`Only the newest ${countText(PAGE * MAX_PAGES, "match", "matches")} are counted.`);
  const [first] = rows.filter(({ isShadow }) => isShadow);
  if (first !== undefined) say(`To let a rule decide: hookline rules promote ${shellWord(first.rule)}`);
}
