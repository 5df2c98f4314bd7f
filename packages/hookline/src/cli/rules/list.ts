import type { RuleConfig } from "../../config/config.js";
import type { HandlersAnswer } from "../../hub/protocol.js";
import { defaultFailureMode } from "../../rules/default-failure.js";
import { EXIT } from "../exit-codes.js";
import { durationText } from "../format/amounts.js";
import { inert, inertJson } from "../format/inert.js";
import { tableLines } from "../format/table.js";
import { connectHub } from "../hub-client.js";
import type { Terminal } from "../terminal.js";
import { type RejectedRule, readRules } from "./read-rules.js";

type Handlers = HandlersAnswer["handlers"];

/** Lists the rules of a file and, where a hub runs, what each has done. The exit code is 1 when one of them is no rule. */
export async function listRules(
  terminal: Terminal,
  { config, json = false }: { readonly config?: string; readonly json?: boolean },
): Promise<number> {
  const { path, rules, rejected } = await readRules(terminal, config);
  const handlers = await readHandlers(terminal.env);
  const placed = [...rules.map((rule) => ({ line: rule.line, row: rowOf(rule, handlers) })), ...rejected.map(rejectedRow)];
  const rows = placed.sort((a, b) => a.line - b.line).map(({ row }) => row);
  if (json) terminal.print(inertJson(JSON.stringify(rows, undefined, 2)));
  else if (rows.length === 0) terminal.say(`${inert(path)} has no rules. To have some: hookline rules add destructive-shell`);
  else for (const line of tableLines(heading, rows.map(cellsOf), terminal.columns)) terminal.print(line);
  return rejected.length === 0 ? EXIT.ok : EXIT.failed;
}

const heading = ["RULE", "DO", "EVENT", "TOOL", "STATE", "ON FAILURE", "FIRED", "LAST FIRED"];

interface Row {
  readonly name: string;
  readonly do?: string;
  readonly events: readonly string[];
  readonly tool?: string;
  readonly state: string;
  readonly onFailure?: string;
  /** Missing where no hub runs. */
  readonly fired?: number;
  readonly lastFiredAt?: string;
  readonly description?: string;
  readonly origin: string;
  readonly problems?: readonly string[];
}

function rowOf(
  { name, do: action, events, tool, enabled, onFailure, stage, description, file, line }: RuleConfig,
  handlers: Handlers | undefined,
): Row {
  const own = handlers?.filter((handler) => handler.owner === "rules" && handler.name === name) ?? [];
  const last = Math.max(0, ...own.map(({ lastAt }) => lastAt ?? 0));
  const isObserver = stage === "observe" || (stage === undefined && action === "notify");
  return {
    name,
    do: action,
    events,
    tool: tool === undefined ? "*" : [tool].flat().join(", "),
    state: stateOf(enabled !== false, handlers, own.length),
    onFailure: isObserver ? "open" : (onFailure ?? (events.some((event) => defaultFailureMode(event) === "closed") ? "closed" : "open")),
    ...(handlers !== undefined && { fired: own.reduce((sum, { stats }) => sum + (stats?.calls ?? 0), 0) }),
    ...(last > 0 && { lastFiredAt: new Date(last).toISOString() }),
    ...(description !== undefined && { description }),
    origin: `${file}:${line}`,
  };
}

function rejectedRow({ name, file, line, problems }: RejectedRule): { readonly line: number; readonly row: Row } {
  return { line, row: { name, events: [], state: "rejected", origin: `${file}:${line}`, problems } };
}

function stateOf(isEnabled: boolean, handlers: Handlers | undefined, registered: number): string {
  if (!isEnabled) return "disabled";
  if (handlers === undefined) return "no hub";
  return registered > 0 ? "active" : "not in the hub";
}

function cellsOf({ name, do: action, events, tool, state, onFailure, fired, lastFiredAt }: Row): string[] {
  const ago = lastFiredAt === undefined ? "never fired" : `${durationText(Math.max(0, Date.now() - Date.parse(lastFiredAt)))} ago`;
  return [
    name,
    action ?? "-",
    events.join(", ") || "-",
    tool ?? "-",
    state,
    onFailure ?? "-",
    fired === undefined ? "-" : String(fired),
    fired === undefined ? "-" : ago,
  ].map(inert);
}

/** Nothing when no hub runs: the file can be listed all the same. */
async function readHandlers(env: NodeJS.ProcessEnv): Promise<Handlers | undefined> {
  try {
    const hub = await connectHub(env);
    return (await hub.get<HandlersAnswer>("/api/handlers")).handlers;
  } catch {
    return undefined;
  }
}
