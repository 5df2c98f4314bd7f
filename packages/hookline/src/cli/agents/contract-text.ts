import { inertText } from "@hookline/core/internal/text";
import {
  type AgentContract,
  type AgentContracts,
  canBeStrict,
  contractFor,
  type GuardLevel,
  guardingOf,
  triedVersion,
} from "../../agents/shared/contract.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";

/** Where the knowledge about an agent comes from, as lists show it. */
export function triedText(contracts: AgentContracts): string {
  const version = triedVersion(contracts);
  return version === undefined ? "by its documentation, not tried here" : `${version} was tried`;
}

/** Whether the agent was never run here. */
export function isByDocumentation({ contracts }: AgentDefinition): boolean {
  return triedVersion(contracts) === undefined;
}

/** Why an installed version may behave in another way than Hookline expects. Undefined for a version that was tried. */
export function versionCaution({ title, contracts }: AgentDefinition, version: string | undefined): string | undefined {
  const { contract, standing } = contractFor(contracts, version);
  const shown = inertText(version ?? "");
  if (contract.source.tried === "documentation")
    return `${title} ${version === undefined ? "" : `${shown} `}is known from its documentation only: its hooks were not tried here (${contract.source.url}).`;
  if (standing === "newer")
    return `${title} ${shown} is newer than ${contract.to}, the last version that was tried. It is treated like that one.`;
  if (standing === "between") return `${title} ${shown} was not tried. It is treated like ${contract.to}.`;
  if (standing === "older")
    return `${title} ${shown} is older than ${contract.from}, the first version that was tried. ${contract.before ?? "Its hooks may work in another way."}`;
  return undefined;
}

/** How far the calls of an installed version can be guarded. */
export function guardLevel({ contracts }: AgentDefinition, version: string | undefined): GuardLevel {
  return guardingOf(contracts, version).level;
}

/** What `--strict` promises for this agent. */
export function strictText(agent: AgentDefinition, version?: string): string {
  const level = guardLevel(agent, version);
  return canBeStrict(level) ? level : "strict";
}

/** Why this version cannot be guarded completely. */
export function levelCaution({ title, contracts }: AgentDefinition, version: string | undefined): string | undefined {
  const guarding = guardingOf(contracts, version);
  if (!("reason" in guarding)) return undefined;
  const what = guarding.level === "observe" ? "Hookline can only record its calls" : "Hookline guards it as well as it can";
  return `${title} ${guarding.reason}: ${what}. ${guarding.instead}`;
}

/** Throws if the agent would run calls whatever happens to its hook. */
export function requireStrict({ id, title, contracts }: AgentDefinition, version: string | undefined, wasStrict = false): void {
  const guarding = guardingOf(contracts, version);
  if (!("reason" in guarding)) return;
  throw new CliError(`${title} cannot be attached with --strict: it ${guarding.reason}. ${guarding.instead}`, {
    exitCode: EXIT.usage,
    fix: { run: `hookline attach ${id}${wasStrict ? " --no-strict" : ""}` },
  });
}

/** What a contract says, one line each. */
export function contractLines(contract: AgentContract): readonly string[] {
  const { from, to, source, guarding, dialect, timeout, blocks, failure } = contract;
  const versions = from === undefined ? "any version" : from === to ? from : `${from} to ${to}`;
  const unit = timeout.unitMs === 1 ? "ms" : timeout.unitMs === 1_000 ? "s" : `${timeout.unitMs} ms`;
  const { defaultMs } = timeout;
  const limit =
    defaultMs === undefined
      ? `in ${unit}, the default is not documented`
      : Number.isFinite(defaultMs)
        ? `${defaultMs / timeout.unitMs} ${unit} by default`
        : "none: it waits";
  return [
    `versions: ${versions}, ${source.tried === "here" ? "tried here" : `not tried here, by ${source.url}`}`,
    `guarding: ${guarding.level}${"reason" in guarding ? ` (it ${guarding.reason})` : ""}`,
    `hooks: ${dialect}; timeout ${limit}`,
    `a call is denied by: ${blocks.join("; ") || "nothing"}`,
    `a failing hook ${failure.mode === "open" ? "lets the call run" : "denies the call"}; it runs after: ${failure.runsAfter.join("; ") || "nothing"}`,
  ];
}
