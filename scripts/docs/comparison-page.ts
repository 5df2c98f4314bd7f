import { existsSync, readFileSync } from "node:fs";
import { allSinks } from "../../packages/core/dist/sinks/all-sinks.js";
import { agents } from "../../packages/hookline/dist/agents/agents.js";
import { commandList } from "../../packages/hookline/dist/cli/command-list.js";
import type { ListedCommand } from "../../packages/hookline/dist/cli/command-module.js";
import { allTargets } from "../../packages/hookline/dist/notify/all-targets.js";
import { alignedTable, fillMarkers } from "./markdown.ts";

/** What the comparison says Hookline has, and where the product shows it. */
export interface Feature {
  readonly name: string;
  readonly what: string;
  /** A page of `docs/`, with an anchor where one helps. */
  readonly page: string;
  /** Commands, below `hookline`, without which it would not be there. */
  readonly commands?: readonly string[];
  /** Types of `[[sink]]`. */
  readonly sinks?: readonly string[];
  /** Entries of `@hookline/core`. */
  readonly entries?: readonly string[];
}

const tried = agents.filter(({ contracts }) => contracts.some(({ source }) => source.tried === "here"));
const adapters = entriesOfCore().filter((entry) => entry.startsWith("./adapters/") && entry !== "./adapters/codewhale");

export const features: readonly Feature[] = [
  {
    name: "Agents to attach",
    what: `${agents.length}: ${agents.map(({ title }) => title).join(", ")}. ${tried.length} of them were tried with the real program`,
    page: "agents.md",
    commands: ["attach", "detach", "run"],
  },
  {
    name: "SDKs",
    what: `adapters for the AI SDK, OpenAI Agents, the Claude Agent SDK, LangChain, Mastra, Strands, the MCP SDK and plain functions (${adapters.length} entries)`,
    page: "adapters.md",
    entries: adapters,
  },
  { name: "Python", what: "a package without dependencies, for agents written in Python", page: "python.md" },
  { name: "MCP and ACP", what: "gateways in front of any MCP server and any ACP agent", page: "mcp.md", commands: ["mcp"] },
  { name: "Many machines", what: "one view, one policy and one list of questions, on NATS", page: "fleet.md", commands: ["fleet"] },
  {
    name: "People",
    what: "passkeys for those who sign in to the dashboard of a fleet",
    page: "fleet.md#people-in-the-dashboard",
    commands: ["fleet people"],
  },
  { name: "Phone", what: "the dashboard as a web app with push messages; answers with a passkey", page: "phone.md", commands: ["phones"] },
  {
    name: "Messages",
    what: allTargets.map(({ type }) => type).join(", "),
    page: "notifications.md",
    commands: ["notify"],
  },
  { name: "Tokens and costs", what: "by day, agent, model, project and session", page: "usage.md", commands: ["usage"] },
  { name: "OpenTelemetry", what: "traces, metrics and logs over OTLP", page: "opentelemetry.md", sinks: ["otlp"] },
  {
    name: "Other sinks",
    what: allSinks.flatMap(({ type }) => (type === "otlp" ? [] : [type])).join(", "),
    page: "sinks.md",
  },
  {
    name: "Rules on the past",
    what: "what a rule would have blocked, and which calls no rule looks at",
    page: "backtest.md",
    commands: ["rules backtest", "rules coverage"],
  },
  {
    name: "Record",
    what: "search, export, backup, and a check that nothing was changed",
    page: "reliability.md",
    commands: ["export", "backup", "verify"],
  },
  { name: "Protection", what: "passkey, passphrase or TOTP for whatever loosens a guard", page: "security.md", commands: ["protect"] },
];

/** What people look for and do not find, with the command or sink that would prove the sentence wrong. */
const missing: readonly { readonly what: string; readonly wouldBe: readonly string[] }[] = [
  { what: "It is not a sandbox: it decides whether a call runs, not what a running program may do.", wouldBe: ["sandbox"] },
  { what: "It has no evaluation of answers and no management of prompts.", wouldBe: ["eval", "prompts"] },
  { what: "It is not a hosted service: you run the hub, and the server of a fleet, yourself.", wouldBe: ["cloud", "login"] },
  { what: "It does not run MCP servers in containers or keep their credentials.", wouldBe: ["mcp run", "mcp secrets"] },
  { what: "It has been tried on Linux. The parts for macOS and Windows are written and hardly tried.", wouldBe: [] },
];

/** `docs/comparison.md`: the prose as it is, and between its markers what Hookline has and has not. */
export async function comparisonPage(current: string): Promise<string> {
  for (const feature of features) {
    const fault = await faultOf(feature);
    if (fault !== undefined) throw new Error(`docs/comparison.md: the feature "${feature.name}" names ${fault}, which does not exist.`);
  }
  for (const { what, wouldBe } of missing)
    for (const name of wouldBe)
      if (await hasCommand(name)) throw new Error(`docs/comparison.md says "${what}", and there is a command "hookline ${name}".`);
  const tables: { readonly [what: string]: string } = {
    features: alignedTable(
      ["", "Hookline has"],
      features.map(({ name, what, page }) => [`[${name}](${page})`, what]),
    ),
    missing: missing.map(({ what }) => `- ${what}`).join("\n"),
  };
  return fillMarkers(current, (what) => tables[what] ?? "");
}

/** What a feature names and the product lacks. */
export async function faultOf({ page, commands = [], sinks = [], entries = [] }: Feature): Promise<string | undefined> {
  const [file = ""] = page.split("#");
  if (!existsSync(new URL(`../../docs/${file}`, import.meta.url))) return `the page ${file}`;
  for (const name of commands) if (!(await hasCommand(name))) return `the command "hookline ${name}"`;
  const sink = sinks.find((type) => !allSinks.some((known) => known.type === type));
  if (sink !== undefined) return `the sink "${sink}"`;
  const entry = entries.find((name) => !entriesOfCore().includes(name));
  return entry === undefined ? undefined : `the entry "${entry}"`;
}

async function hasCommand(name: string): Promise<boolean> {
  let list: readonly ListedCommand[] = commandList;
  const words = name.split(" ");
  for (const [index, word] of words.entries()) {
    const listed = list.find((one) => one.name === word);
    if (listed === undefined) return false;
    if (index === words.length - 1) return true;
    const { command } = await listed.load();
    list = "subcommands" in command ? command.subcommands : [];
  }
  return false;
}

function entriesOfCore(): readonly string[] {
  const manifest = JSON.parse(readFileSync(new URL("../../packages/core/package.json", import.meta.url), "utf8"));
  return Object.keys((manifest as { readonly exports: object }).exports);
}
