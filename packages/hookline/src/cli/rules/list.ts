import { inertJson, inertText } from "@hookline/core/internal/text";
import { type KnownTools, toolNote } from "../../agents/tool-note.js";
import { FLEET, readBundleRules } from "../../bundles/bundle-content.js";
import type { RuleConfig } from "../../config/config.js";
import { type ConfigProblem, formatProblem } from "../../config/problem.js";
import type { RuleSummary } from "../../hub/protocol.js";
import { failureModeOfRule } from "../../rules/default-failure.js";
import { conditionText, hasState } from "../../rules/state/state-condition.js";
import { readKnownTools, sayNotes } from "../agents/known-tools.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { agoText, dateText } from "../format/times.js";
import { text } from "../option-values.js";
import { readFleetBundle } from "../policy/fleet-bundle.js";
import { type HubFacts, readHub, sayFaults } from "../status/hub-facts.js";
import type { Terminal } from "../terminal.js";
import { NO_PACKS, type PacksRecord, readPacks, signerText } from "./packs-file.js";
import { type RejectedRule, readRules } from "./read-rules.js";

interface ListOptions {
  readonly config?: string;
  readonly json?: boolean;
}

export const command: CommandModule<ListOptions> = {
  define(command) {
    command
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--json", "print JSON")
      .addHelpText("after", "\nWith a running hub, shows how often each rule fired. Exit code 1 when a rule cannot be used.")
      .addHelpText("after", examples("hookline rules list", "hookline rules list --json | jq '.[].name'"));
  },

  run: listRules,
};

async function listRules(terminal: Terminal, { config, json = false }: ListOptions): Promise<number> {
  const { path, rules, rejected, warnings } = await readRules(terminal, config);
  const [hub, known] = await Promise.all([readHub(terminal.env), readKnownTools(terminal.env)]);
  const packs = rules.some(({ pack }) => pack !== undefined) ? readPacks(terminal.env) : NO_PACKS;
  const placed = [
    ...rules.map((rule) => ({ line: rule.line, row: withNote(withWarnings(rowOf(rule, hub, packs), warnings), rule, known) })),
    ...rejected.map((rule) => ({ line: rule.line, row: brokenRow(rule) })),
  ];
  const fleet = config === undefined ? await fleetRules(terminal) : [];
  const rows = [...fleet.map((rule) => fleetRow(rule, hub)), ...placed.sort((a, b) => a.line - b.line).map(({ row }) => row)];
  if (json) terminal.print(inertJson(JSON.stringify(rows, undefined, 2)));
  else if (rows.length === 0) terminal.say(`${inertText(path)} has no rules. To add some: hookline rules add destructive-shell`);
  else for (const line of tableLines(heading, rows.map(cellsOf), Math.min(terminal.columns, MAX_COLUMNS))) terminal.print(line);
  if (!json) for (const row of rows) for (const line of memoryLines(row)) terminal.print(line);
  if (!json) sayPacks(rows, terminal);
  if (!json) sayNotes(rows, terminal);
  if (!json) sayFaults(hub?.faults.filter(({ kind, isEdit, file }) => file === path && (kind === "rule" || isEdit)) ?? [], terminal);
  if (!json && hub !== undefined && rows.length > 0) terminal.say(`FIRED counts since the hub started, ${dateText(hub.startedAt)}.`);
  return rejected.length === 0 ? EXIT.ok : EXIT.failed;
}

const heading = ["RULE", "DO", "EVENT", "TOOL", "STATE", "FAILS", "FIRED"];

/** Wider lines cannot be read in a window or a report. JSON has everything. */
const MAX_COLUMNS = 100;

interface Row {
  readonly name: string;
  /** It comes with a signed bundle, and cannot be changed here. */
  readonly from?: "fleet";
  readonly do?: string;
  readonly events: readonly string[];
  readonly tool?: string;
  readonly state: string;
  readonly onFailure?: string;
  /** How often since `firedSince`, when the hub started. Missing if no hub runs. */
  readonly fired?: number;
  readonly firedSince?: string;
  readonly lastFiredAt?: string;
  /** When it acts, for a rule that depends on what happened before: `20 times in 5m per session`. */
  readonly acts?: string;
  /** What it has seen so far. Missing if no hub runs. */
  readonly remembers?: RuleSummary["remembers"];
  /** The pack that it came with, and who signed that. */
  readonly pack?: string;
  readonly signer?: string;
  readonly description?: string;
  readonly origin: string;
  readonly problems?: readonly string[];
  /** Paths that cannot be checked. */
  readonly warnings?: readonly string[];
  /** Why it guards nothing: no attached agent has its tools. */
  readonly note?: string;
}

/** The rules of the signed bundle in force. */
async function fleetRules(terminal: Terminal): Promise<readonly RuleConfig[]> {
  const bundle = await readFleetBundle(terminal);
  return bundle === undefined ? [] : readBundleRules(bundle);
}

/** It counts more than the rules of the file, whatever they are called. */
function fleetRow(rule: RuleConfig, hub: HubFacts | undefined): Row {
  const { remembers: _, ...row } = rowOf(rule, hub, NO_PACKS, FLEET);
  return { ...row, from: "fleet", origin: `fleet ${row.origin}` };
}

function rowOf(rule: RuleConfig, hub: HubFacts | undefined, packs: PacksRecord, owner = "rules"): Row {
  const { name, do: action, events, tool, enabled, mode, description, file, line } = rule;
  const own = hub?.handlers.filter((handler) => handler.owner === owner && handler.name === name) ?? [];
  const remembers = hub?.rules.find((row) => row.name === name)?.remembers;
  const last = Math.max(0, ...own.map(({ lastAt }) => lastAt ?? 0));
  return {
    name,
    do: action,
    events,
    tool: tool === undefined ? "*" : [tool].flat().join(", "),
    state: mode === "shadow" && enabled !== false ? "shadow" : stateOf(enabled !== false, hub !== undefined, own.length),
    onFailure: events.some((event) => failureModeOfRule(rule, event) === "closed") ? "closed" : "open",
    ...(hub !== undefined && {
      fired: own.reduce((sum, { stats }) => sum + (stats?.calls ?? 0), 0),
      firedSince: new Date(hub.startedAt).toISOString(),
    }),
    ...(last > 0 && { lastFiredAt: new Date(last).toISOString() }),
    ...(hasState(rule) && { acts: conditionText(rule) }),
    ...(remembers !== undefined && { remembers }),
    ...(rule.pack !== undefined && { pack: rule.pack, signer: signerOf(rule, packs) }),
    ...(description !== undefined && { description }),
    origin: `${file}:${line}`,
  };
}

/** `rate acts: 20 times in 5m per session; session s1: 12 of 20` */
function memoryLines({ name, acts, remembers }: Row): string[] {
  if (acts === undefined) return [];
  const { rows = [], more = 0, problem } = remembers ?? {};
  const counted = rows.map(({ of, value, isReached }) => `${of}: ${value}${isReached ? ", reached" : ""}`);
  const parts = [acts, ...counted, ...(more === 0 ? [] : [`${more} more`])];
  return [`${name} acts: ${parts.join("; ")}`, ...(problem === undefined ? [] : [`! ${problem}`])].map((line) => inertText(line));
}

/** A version that the record does not know was written by hand. */
function signerOf({ pack, file }: RuleConfig, { packs }: PacksRecord): string {
  const found = packs.find((one) => one.file === file && `${one.name}@${one.version}` === pack);
  return found === undefined ? "not added with hookline rules add" : signerText(found.signer);
}

function sayPacks(rows: readonly Row[], { say }: Terminal): void {
  for (const label of new Set(rows.flatMap(({ pack }) => pack ?? []))) {
    const own = rows.filter(({ pack }) => pack === label);
    say(inertText(`${label}: ${countText(own.length, "rule")}, ${own[0]?.signer ?? ""}`));
  }
}

function withWarnings(row: Row, warnings: readonly ConfigProblem[]): Row {
  const own = warnings.filter(({ name }) => name === row.name).map(formatProblem);
  return own.length === 0 ? row : { ...row, warnings: own };
}

/** A rule for tools that no attached agent has is not active, whatever the hub says. */
function withNote(row: Row, rule: RuleConfig, known: KnownTools): Row {
  const note = rule.enabled === false ? undefined : toolNote(rule, known);
  if (note === undefined) return row;
  return { ...row, ...(row.state === "active" && { state: "no such tool" }), note };
}

function brokenRow({ name, file, line, problems }: RejectedRule): Row {
  return { name, events: [], state: "broken", origin: `${file}:${line}`, problems };
}

function stateOf(isEnabled: boolean, hasHub: boolean, registered: number): string {
  if (!isEnabled) return "disabled";
  if (!hasHub) return "no hub";
  return registered > 0 ? "active" : "not in the hub";
}

function cellsOf({ name, from, do: action, events, tool, state, onFailure, fired, lastFiredAt, warnings }: Row): string[] {
  const ago = lastFiredAt === undefined ? "never" : `${fired}, ${agoText(Date.parse(lastFiredAt))}`;
  return [
    from === undefined ? name : `${name} (${from})`,
    action ?? "-",
    events.join(", ") || "-",
    tool ?? "-",
    warnings === undefined ? state : `${state}, path not checked`,
    onFailure ?? "-",
    fired === undefined ? "-" : ago,
  ];
}
