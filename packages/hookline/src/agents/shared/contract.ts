import type { AgentDefinition, AgentDialect } from "./definition.js";

/**
 * How an agent's hooks behave in a range of its versions: what was measured, or what its documentation says. Hookline relies on nothing else, so
 * another version is reported when it is attached and by `hookline doctor`.
 */
export interface AgentContract {
  /** The first and the last version that it is known to hold for. Missing where the documentation names none. */
  readonly from?: string;
  readonly to?: string;
  readonly source: ContractSource;
  readonly guarding: Guarding;
  /** Its events, by its own names, and what each answer can do. */
  readonly events: AgentDialect["events"];
  /** What its hooks read and print, in a few words. */
  readonly dialect: string;
  readonly timeout: HookTimeout;
  /** What of a hook keeps a tool call from running. */
  readonly blocks: readonly string[];
  /** What it does with a hook that fails in another way, and in which cases a call still runs. */
  readonly failure: { readonly mode: "open" | "closed"; readonly runsAfter: readonly string[] };
  /** What may happen in a version before `from`: a sentence. */
  readonly before?: string;
}

type ContractSource =
  /** Measured with the program. */
  { readonly tried: "here"; readonly version: string } | { readonly tried: "documentation"; readonly url: string };

/**
 * `strict`: a call that the hub could not be asked about can be denied. `STRICT_UNLESS_KILLED`: the same, but the agent runs the call if a signal ends
 * its hook. `best effort`: a deny works, and a failing hook cannot deny. `observe`: calls are recorded, and nothing can be denied.
 */
export type GuardLevel = "strict" | typeof STRICT_UNLESS_KILLED | "best effort" | "observe";

export const STRICT_UNLESS_KILLED = "strict, unless the hook itself is killed";

/** The levels at which an agent can be attached with `--strict`. */
export function canBeStrict(level: GuardLevel): level is "strict" | typeof STRICT_UNLESS_KILLED {
  return level === "strict" || level === STRICT_UNLESS_KILLED;
}

type Guarding =
  | { readonly level: "strict" | typeof STRICT_UNLESS_KILLED }
  | {
      readonly level: "best effort" | "observe";
      /** Why it cannot be more: a sentence that begins with the agent's title without it, such as "ignores exit codes". */
      readonly reason: string;
      /** What to do instead: a sentence. */
      readonly instead: string;
    };

/** How long the agent waits for a hook. */
interface HookTimeout {
  /** What a timeout of 1 means. */
  readonly unitMs: number;
  /** The timeout of an entry without one. `Infinity`: it waits as long as the hook runs. Missing where the documentation does not say. */
  readonly defaultMs?: number;
}

/** The contracts of an agent, the newest first. */
export type AgentContracts = readonly [newest: AgentContract, ...older: AgentContract[]];

/** How an installed version relates to the contracts. `unknown`: the version could not be found, or the contracts name none. */
type Standing = "known" | "newer" | "older" | "between" | "unknown";

export interface FoundContract {
  readonly contract: AgentContract;
  readonly standing: Standing;
}

/** The contract for an installed version. A version without one gets the nearest older contract; one that is older than all gets the oldest. */
export function contractFor(contracts: AgentContracts, version: string | undefined): FoundContract {
  const [newest] = contracts;
  if (version === undefined || newest.to === undefined) return { contract: newest, standing: "unknown" };
  const known = contracts.find(({ from = "0", to = from }) => compareVersions(version, from) >= 0 && compareVersions(version, to) <= 0);
  if (known !== undefined) return { contract: known, standing: "known" };
  const below = contracts.find(({ to = "0" }) => compareVersions(version, to) > 0);
  if (below === undefined) return { contract: contracts.at(-1) ?? newest, standing: "older" };
  return { contract: below, standing: below === newest ? "newer" : "between" };
}

const LEVELS: readonly GuardLevel[] = ["strict", STRICT_UNLESS_KILLED, "best effort", "observe"];

/** How far the calls of a version can be guarded. A version that is not known is promised no more than all versions keep. */
export function guardingOf(contracts: AgentContracts, version: string | undefined): Guarding {
  if (version !== undefined) return contractFor(contracts, version).contract.guarding;
  return contracts
    .map(({ guarding }) => guarding)
    .reduce((least, one) => (LEVELS.indexOf(one.level) > LEVELS.indexOf(least.level) ? one : least));
}

/** The agent as it is in a version: its events can do what the contract says. */
export function agentAt(agent: AgentDefinition, version: string | undefined): AgentDefinition {
  return { ...agent, events: contractFor(agent.contracts, version).contract.events };
}

/** The version that was tried here last. Missing where the agent is known from its documentation alone. */
export function triedVersion(contracts: AgentContracts): string | undefined {
  return contracts.flatMap(({ source }) => (source.tried === "here" ? [source.version] : []))[0];
}

/** Below 0 if `a` is older than `b`. Only numbers count: a preview of a version is taken for the version. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => (/\d+(\.\d+)*/.exec(version)?.[0] ?? "0").split(".").map(Number)) as [number[], number[]];
  const at = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => (left[index] ?? 0) - (right[index] ?? 0));
  return at.find((difference) => difference !== 0) ?? 0;
}
