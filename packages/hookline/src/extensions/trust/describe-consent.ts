import { inertText, shellWord } from "@hookline/core/internal/text";
import { parseToml } from "../../config/parse-toml.js";
import { refusedInProject } from "../../rules/register-rules.js";
import { hashContent, hashEntries } from "./hash-folder.js";
import { type ManifestSummary, summarize } from "./manifest-summary.js";
import { findOutsidePaths } from "./outside-paths.js";
import { CONFIG_NAME, type ProjectHook } from "./project-hooks.js";
import type { FolderEntry } from "./read-folder.js";

const NONE = "none";

type Row = readonly [label: string, text: string];

/** The consent text: what would run, on which events, with which permissions, and every file with its hash. */
export function describeConsent(hook: ProjectHook, entries: readonly FolderEntry[]): string {
  const summary = summarize(entries);
  const rows: Row[] = [
    ["hook", hook.name],
    ["project", hook.project],
    ["path", hook.path],
    ["hash", hashEntries(entries)],
  ];
  if (hook.kind === "config") rows.push(["runs", "its rules, which can only tighten yours"], ...ruleRows(entries));
  else if (summary === undefined) rows.push(["runs", "nothing: there is no HOOK.yaml and no extension.json"]);
  else rows.push(...rowsOf(summary, hook.project));
  const files = entries.filter(({ kind }) => kind !== "folder");
  return [
    ...rows.map(([label, text]) => `${label.padEnd(8)} ${inertText(text)}`),
    `${"files".padEnd(8)} ${files.length}`,
    ...files.map((entry) => `  ${fileLine(entry)}`),
  ].join("\n");
}

function ruleRows(entries: readonly FolderEntry[]): (readonly [string, string])[] {
  const { rules, refused, ignored, fault } = summarizeRules(entries);
  if (fault !== undefined) return [["rules", `${NONE}: ${fault}`]];
  return [
    ["rules", listed(rules)],
    ...(refused.length === 0 ? [] : [["refused", `${listed(refused)}: a project can tighten and never loosen`] as const]),
    ...(ignored.length === 0 ? [] : [["ignored", `${listed(ignored)}: only the rules in this file are used`] as const]),
  ];
}

function rowsOf({ file, fault, handler, command, env, hooks, permissions, dialect }: ManifestSummary, project: string): Row[] {
  const events: Row = ["events", listed([...new Set(hooks.map(({ event }) => event))])];
  if (fault !== undefined) return [["runs", `nothing: ${file}, ${fault}`], events];
  const isScript = handler !== undefined && /\.[cm]?[jt]s$/.test(handler);
  const { outside } = findOutsidePaths(command ?? [], { project });
  return [
    ["runs", command === undefined ? (handler ?? NONE) : command.map(shellWord).join(" ")],
    ...(command === undefined ? [] : [["outside", listed(outside)] as const]),
    [
      "env",
      isScript
        ? "all of the hub's"
        : `${env.length === 0 ? "nothing" : listed(env)} of the hub's, besides PATH, HOME and similar variables`,
    ],
    events,
    ...(dialect === undefined ? [] : [["dialect", dialectText(hooks)] as const]),
    ["may", listed(permissions)],
  ];
}

function dialectText(hooks: ManifestSummary["hooks"]): string {
  return hooks.some(({ onFailure }) => onFailure === "closed") ? "hermes" : "hermes, open: when it fails, nothing is denied";
}

function fileLine(entry: FolderEntry): string {
  const name = inertText(entry.name);
  if (entry.kind === "link") return `${name} -> ${inertText(entry.target)}`;
  if (entry.kind === "folder") return `${name}/`;
  return `${hashContent(entry.content)}  ${entry.isExecutable ? "x" : "-"}  ${String(entry.content.length).padStart(8)}  ${name}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? NONE : names.join(", ");
}

/** The content of a project's hookline.toml for the reader: each `[[rule]]` with its action, and what is ignored. */
interface ProjectRules {
  readonly rules: readonly string[];
  readonly refused: readonly string[];
  /** Tables that are ignored, such as `[hub]`. */
  readonly ignored: readonly string[];
  readonly fault?: string;
}

function summarizeRules(entries: readonly FolderEntry[]): ProjectRules {
  const file = entries.find(({ kind, name }) => kind === "file" && name === CONFIG_NAME);
  const parsed = parseToml(file?.kind === "file" ? file.content.toString("utf8") : "");
  if ("message" in parsed) return { rules: [], refused: [], ignored: [], fault: `line ${parsed.line}: ${parsed.message}` };
  const { rule, ...others } = parsed.document;
  const rules = (Array.isArray(rule) ? rule : []) as readonly { readonly name?: unknown; readonly do?: unknown }[];
  const refused = rules.filter((one) => refusedInProject(one as Parameters<typeof refusedInProject>[0]));
  return {
    rules: rules.filter((one) => !refused.includes(one)).map(nameOf),
    refused: refused.map(nameOf),
    ignored: Object.entries(others).map(([key, value]) => (Array.isArray(value) ? `[[${key}]]` : `[${key}]`)),
  };
}

function nameOf({ name = "without a name", do: action }: { readonly name?: unknown; readonly do?: unknown }): string {
  return `${String(name)} (${String(action)})`;
}
