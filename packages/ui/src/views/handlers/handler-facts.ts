import { HANDLER_PERCENTILES, type HandlerTimes } from "../../../../hookline/src/hub/protocol.js";
import type { HandlerRow, HookSummary, RuleSummary } from "../../api/answers.js";
import { countText, durationText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

/** Rules share this owner and go by their names. */
export const RULES = "rules";

export type Fact = readonly [name: string, text: string];

/** Everything known of a handler, for who opens its line. */
export function factsOf(
  handler: HandlerRow,
  hook: HookSummary | undefined,
  windowText: string,
  remembers?: RuleSummary["remembers"],
): readonly Fact[] {
  const { description, note, match, tool, owner, path, permissions, priority, timeoutMs, stage, onFailure } = handler;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["About", description],
    ["Guards nothing", note],
    ["Match", match],
    ["Tool", typeof tool === "string" ? tool : tool?.join(", ")],
    ["Acts", remembers?.condition],
    ["So far", rememberedText(remembers)],
    ["Owner", owner],
    ["File", path ?? hook?.path],
    ["Kind", hook === undefined ? undefined : `${hook.kind} of the ${hook.from}${hook.project === undefined ? "" : ` ${hook.project}`}`],
    ["Permissions", permissionText(owner, permissions)],
    ["Stage", `${stage}, priority ${priority}`],
    ["On failure", failureText(onFailure, hook)],
    ["Time limit", timeoutMs === 0 ? "none" : durationText(timeoutMs)],
    ["Health", healthText(handler)],
    [`Last ${windowText}`, lastText(handler)],
    ["Since start", startText(handler)],
    ["Problems", hook?.problems.join("; ")],
    ["Remarks", hook?.remarks?.join("; ")],
  ];
  return facts.flatMap(([name, text]) => (text === undefined || text === "" ? [] : [[name, text] as const]));
}

/** What its failure means, after the dialect it speaks where that is not Hookline's own. */
export function failureText(onFailure: HandlerRow["onFailure"], hook?: HookSummary): string {
  const mode = onFailure === "closed" ? "closed: denies" : onFailure === "open" ? "open: goes on" : inert(onFailure);
  return hook?.dialect === undefined ? mode : `${inert(hook.dialect)}, ${mode}`;
}

/** `session s1: 12 of 20; session s2: 20 of 20, reached` */
function rememberedText(remembers: RuleSummary["remembers"]): string | undefined {
  if (remembers === undefined) return undefined;
  const { rows, more, problem } = remembers;
  const counted = rows.map(({ of, value, isReached }) => `${of}: ${value}${isReached ? ", reached" : ""}`);
  return (
    [...(problem === undefined ? [] : [problem]), ...counted, ...(more === 0 ? [] : [`${countText(more)} more`])].join("; ") ||
    "nothing yet"
  );
}

function permissionText(owner: string | undefined, permissions: readonly string[] | undefined): string {
  if (owner === undefined || owner === RULES) return "all";
  return permissions?.join(", ") || "none";
}

function healthText({ health }: HandlerRow): string | undefined {
  if (health === undefined) return undefined;
  const { state, restarts } = health;
  return restarts === undefined ? state : `${state}, ${pluralText(restarts, "restart")}`;
}

function lastText({ window }: HandlerRow): string | undefined {
  if (window === undefined) return undefined;
  const { calls, denied, asked, failed } = window;
  const percentiles: HandlerTimes = window;
  const times = Object.fromEntries(HANDLER_PERCENTILES.map(({ field, label }) => [label, percentiles[field]]));
  const text = listText({ calls, denied, asked, failed }, times);
  const isTimed = Object.values(times).some((ms) => ms !== undefined);
  return isTimed ? `${text} (times are right to a fifth)` : text;
}

function startText({ stats }: HandlerRow): string | undefined {
  if (stats === undefined) return undefined;
  const { calls, denies: denied, failures: failed, timeouts, p50Ms, p99Ms } = stats;
  return listText({ calls, denied, failed, timeouts }, { p50: p50Ms, p99: p99Ms });
}

function listText(counts: { readonly [name: string]: number }, times: { readonly [name: string]: number | undefined }): string {
  const counted = Object.entries(counts).map(([name, count]) => `${name} ${countText(count)}`);
  const taken = Object.entries(times).flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${durationText(ms)}`]));
  return [...counted, ...taken].join(", ");
}
