import { errorText } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import type { Config, RuleConfig } from "../../config/config.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import type { AcceptedSource } from "../bundles/bundle-policy.js";
import type { Mode } from "../mode.js";
import type { Fault, PolicyAnswer } from "../protocol.js";
import {
  type AcceptedPolicy,
  type DecidingSettings,
  nothingAccepted,
  POLICY_FILE,
  readAcceptedPolicy,
  writeAcceptedPolicy,
} from "./accepted-policy.js";
import { consentDifferences } from "./consent-changes.js";
import { createHookChanges } from "./hook-changes.js";
import { createNotices } from "./loosening-notices.js";
import { type Difference, type Keys, ruleDifferences, settingDifferences } from "./policy-differences.js";
import { digestOf, requireShown } from "./shown.js";

export interface AcceptanceOptions {
  readonly state: string;
  readonly mode: () => Mode;
  /** The digest of the record that the hub noted last. */
  readonly known?: string | undefined;
  /** There was a record before. If it is missing, it is lost. */
  readonly isOld?: boolean;
  /** Notes the digest of a new record. */
  readonly note: (digest: string) => void;
  /** Tells a person that the policy allows more, or that the record of it is not what the hub wrote. */
  readonly alarm: (report: { readonly kind: "loosened" | "changed" | "tampered"; readonly text: string; readonly path?: string }) => void;
  readonly onProblem: (text: string) => void;
}

/** The part of the policy on disk that is in force. */
interface InForce {
  readonly rules: readonly RuleConfig[];
  readonly hooks: readonly InstalledHook[];
  /** Where the fleet's policy comes from. */
  readonly source: AcceptedSource;
  /** The hub could read everything on disk and take up what it accepts. */
  readonly isWhole: boolean;
  /** Why every tool call is denied: it is unknown which rules were accepted, and rules that are gone from the file may be among them. */
  readonly denies?: string;
}

/**
 * What a person accepts: by its id, and the digest of what was shown. Or by what a command has set: then the rest must be what was accepted
 * before.
 */
export type Wanted = { readonly id: string; readonly digest: string } | { readonly id: string; readonly set: Keys };

/**
 * Decides which of the rules and hooks on disk are in force. Rules that only tighten always are. Code runs when the operator has accepted
 * it. Every other change is in force at once and reported in plain mode, and waits for the operator in the other modes.
 */
export interface Acceptance {
  apply(config: Config, found: readonly InstalledHook[]): Promise<InForce>;
  /** The configuration as the hub may start with it: settings that wait for acceptance have their accepted value. */
  settled(config: Config): Config;
  /** What waits. */
  list(): PolicyAnswer;
  faults(): readonly Fault[];
  /** Accepts what waits. Returns the ids. Throws `HL_NOT_SHOWN`, and accepts nothing, if one of them is not what was shown. */
  accept(wanted: readonly Wanted[]): readonly string[];
  /** Called when a hook's files are not the accepted ones any more. */
  onChanged(listener: () => void): void;
  close(): void;
}

export function createAcceptance(options: AcceptanceOptions): Acceptance {
  const { state, mode, note, alarm, onProblem } = options;
  const read = readAcceptedPolicy(state, {
    known: options.known,
    isOld: options.isOld ?? false,
    isUsable: (isKnown) => isKnown || mode() === "plain",
  });
  let policy: AcceptedPolicy = read.state === "found" ? read.policy : nothingAccepted;
  let lost = read.state === "lost" ? read.fault : undefined;
  let isFirst = read.state === "none";
  let pending: readonly Difference[] = [];
  let listener = (): void => {};
  const notices = createNotices(alarm, mode);
  const hookChanges = createHookChanges({ state, onChanged: () => listener() });
  if (read.state !== "none" && read.fault !== undefined)
    alarm({ kind: "tampered", text: `${read.fault}${lostText(lost, isClosedByLoss())}`, path: POLICY_FILE });
  if (read.state === "found") write(policy);

  function write(next: AcceptedPolicy): void {
    try {
      note(writeAcceptedPolicy(state, next));
    } catch (error) {
      onProblem(`The accepted policy could not be recorded, so a restart of the hub forgets it: ${errorText(error)}`);
    }
  }

  function save(next: AcceptedPolicy): void {
    if (!isFirst && JSON.stringify(next) === JSON.stringify(policy)) return;
    isFirst = false;
    policy = next;
    // A new record would hide from the next start that the old one is lost.
    if (!isClosedByLoss()) write(policy);
  }

  function isClosedByLoss(): boolean {
    return lost !== undefined && mode() !== "plain";
  }

  function autoAccepts(config: Config): boolean {
    if (mode() === "managed" || lost !== undefined || policy.held !== undefined) return false;
    const settings = mode() === "plain" ? settingsIn(config) : policy.settings;
    return settings["policy.autoAccept"] === "all";
  }

  /** What happens with a difference now. */
  function fateOf({ effect }: Difference, isAuto: boolean): "taken" | "reported" | "waits" {
    if (policy.held !== undefined) return effect === "tightens" ? "taken" : "waits";
    // No setting of the user's own file loosens this one.
    if (effect === "fleet") return isFirst ? "taken" : "waits";
    if (isFirst || effect === "tightens" || isAuto) return effect === "other" && !isFirst ? "reported" : "taken";
    if (effect === "consent" && mode() === "plain") return "taken";
    if (effect === "code" || lost !== undefined) return "waits";
    return mode() === "plain" ? "reported" : "waits";
  }

  return {
    async apply(config, found) {
      const isAuto = autoAccepts(config);
      const hooks = hookChanges.compare(policy, config, found, lost !== undefined);
      const differences = [
        ...differencesOf(policy, config, found),
        ...hooks.differences,
        ...(isClosedByLoss() ? [lostRecord(lost ?? "")] : []),
      ];
      let next = { ...policy, rules: refreshed(policy.rules, config.rules) };
      const waiting: Difference[] = [];
      let { isWhole } = hooks;
      for (const difference of differences) {
        const fate = fateOf(difference, isAuto);
        const taken = fate === "waits" ? undefined : tryTake(difference, next);
        if (taken === undefined) waiting.push(difference);
        if (taken === undefined && fate !== "waits") isWhole = false;
        else if (fate === "reported") notices.add(difference);
        next = taken ?? next;
      }
      pending = waiting;
      save(released({ ...next, rules: inOrder(next.rules, config.rules) }));
      const source = sourceIn(policy.settings);
      return {
        ...(isClosedByLoss() && { denies: `${lost} Every tool call is denied until you have run: hookline policy accept --all` }),
        source,
        isWhole,
        rules: policy.rules,
        hooks: await hooks.inForce(policy, new Map(waiting.map((one) => [one.change.id, one.change]))),
      };
    },
    settled(config) {
      const isTaken = isFirst || (mode() === "plain" && lost === undefined && policy.held === undefined) || autoAccepts(config);
      return isTaken ? config : withSettings(config, policy.settings);
    },
    list: () => ({
      mode: mode(),
      changes: pending.map(({ change }) => change),
      ...(lost !== undefined && { lost }),
      ...(policy.held !== undefined && { held: policy.held }),
    }),
    faults: () => pending.map(faultOf),
    accept(wanted) {
      const chosen = wanted.flatMap((one) => find(one) ?? []);
      let next = policy;
      for (const difference of chosen) next = difference.take(next);
      for (const { id } of wanted) notices.cancel(id);
      pending = pending.filter((difference) => !chosen.includes(difference));
      const wasLost = lost !== undefined;
      if (pending.length === 0) lost = undefined;
      save(released(next));
      if (wasLost && lost === undefined) write(policy);
      return chosen.map(({ change }) => change.id);
    },
    onChanged(given) {
      listener = given;
    },
    close: () => notices.close(),
  };

  /** Once nothing waits any more, what comes later is the user's own again. */
  function released(next: AcceptedPolicy): AcceptedPolicy {
    const { held: _, ...rest } = next;
    return pending.length === 0 ? rest : next;
  }

  /** Undefined for files that cannot be read whole. */
  function tryTake(difference: Difference, before: AcceptedPolicy): AcceptedPolicy | undefined {
    try {
      return difference.take(before);
    } catch (error) {
      onProblem(errorText(error));
      return undefined;
    }
  }

  /** Nothing for what is in force already. What is found holds the very bytes that come into force. */
  function find(wanted: Wanted): Difference | undefined {
    const found = pending.find(({ change }) => change.id === wanted.id);
    if (found === undefined) return undefined;
    const { name, what, inForce, digest } = found.change;
    const seen = "set" in wanted ? found.digestWith?.(wanted.set) : wanted.digest;
    const now = `Now: ${what} ${inForce}`;
    requireShown(seen, digest, { name, now, fix: { run: "hookline policy diff" } });
    return found;
  }
}

/** What differs between an accepted policy and files, but for the user's own hooks. */
export function differencesOf(policy: AcceptedPolicy, config: Config, found: readonly InstalledHook[]): Difference[] {
  return [
    ...ruleDifferences(policy.rules, config),
    ...settingDifferences(policy.settings, settingsIn(config)),
    ...consentDifferences(policy.consents, found),
  ];
}

/** A person accepts that the policy is what is on disk now. */
function lostRecord(fault: string): Difference {
  return {
    effect: "other",
    path: POLICY_FILE,
    change: {
      id: "setting:record",
      kind: "setting",
      name: "record",
      change: "changed",
      isCode: false,
      what: `it is unknown what was accepted before. ${fault}`,
      inForce: "Every tool call is denied until you accept what is on disk.",
      denies: true,
      digest: digestOf(["record", fault]),
      diff: "",
    },
    take: (policy) => policy,
  };
}

function lostText(lost: string | undefined, isClosed: boolean): string {
  if (lost === undefined) return "";
  const effect = isClosed ? "Every tool call is denied" : "Only rules that block or ask are in force, and closed hooks deny,";
  return ` ${effect} until you have run: hookline policy accept --all`;
}

function settingsIn({
  policy: { autoAccept, from, keys, channel, onStale, maxAgeMs },
  hub: { host, remoteApprovals, askTimeoutMs, publicUrl },
  fleet: { personHeader, proxy, proxyUser },
}: Config): DecidingSettings {
  return {
    ...(autoAccept !== undefined && { "policy.autoAccept": autoAccept }),
    ...(from !== undefined && { "policy.from": from }),
    ...(keys !== undefined && { "policy.key": keys }),
    ...(channel !== undefined && { "policy.channel": channel }),
    ...(onStale !== undefined && { "policy.onStale": onStale }),
    ...(maxAgeMs !== undefined && { "policy.maxAge": maxAgeMs }),
    ...(host !== undefined && { "hub.host": host }),
    ...(remoteApprovals !== undefined && { "hub.remoteApprovals": remoteApprovals }),
    ...(askTimeoutMs !== undefined && { "hub.askTimeout": askTimeoutMs }),
    ...(publicUrl !== undefined && { "hub.publicUrl": publicUrl }),
    ...(personHeader !== undefined && { "fleet.personHeader": personHeader }),
    ...(proxy !== undefined && { "fleet.proxy": proxy }),
    ...(proxyUser !== undefined && { "fleet.proxyUser": proxyUser }),
  };
}

function sourceIn(settings: DecidingSettings): AcceptedSource {
  const {
    "policy.from": from,
    "policy.key": keys,
    "policy.channel": channel,
    "policy.onStale": onStale,
    "policy.maxAge": maxAgeMs,
  } = settings;
  return {
    ...(from !== undefined && { from }),
    ...(keys !== undefined && { keys }),
    ...(channel !== undefined && { channel }),
    ...(onStale !== undefined && { onStale }),
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  };
}

/** The configuration with the settings that are in force. */
function withSettings(config: Config, settings: DecidingSettings): Config {
  const { host: _, remoteApprovals: __, askTimeoutMs: ___, publicUrl: ____, ...hub } = config.hub;
  const { "hub.host": host, "hub.remoteApprovals": remoteApprovals, "hub.askTimeout": askTimeoutMs, "hub.publicUrl": publicUrl } = settings;
  return {
    ...config,
    hub: {
      ...hub,
      ...(typeof host === "string" && { host }),
      ...(typeof remoteApprovals === "boolean" && { remoteApprovals }),
      ...(typeof askTimeoutMs === "number" && { askTimeoutMs }),
      ...(typeof publicUrl === "string" && { publicUrl }),
    },
    fleet: fleetIn(settings),
  };
}

function fleetIn(settings: DecidingSettings): Config["fleet"] {
  const { "fleet.personHeader": personHeader, "fleet.proxy": proxy, "fleet.proxyUser": proxyUser } = settings;
  return {
    ...(typeof personHeader === "string" && { personHeader }),
    ...(typeof proxy === "string" && { proxy }),
    ...(typeof proxyUser === "number" && { proxyUser }),
  };
}

/** Where an accepted rule is written now. */
function refreshed(accepted: readonly RuleConfig[], rules: readonly RuleConfig[]): readonly RuleConfig[] {
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  return accepted.map((rule) => {
    const now = byName.get(rule.name);
    return now === undefined ? rule : { ...rule, file: now.file, line: now.line };
  });
}

/** In the order of the file; removed rules that are still in force come last. */
function inOrder(accepted: readonly RuleConfig[], rules: readonly RuleConfig[]): readonly RuleConfig[] {
  const ranks = new Map(rules.map(({ name }, index) => [name, index]));
  const rank = ({ name }: RuleConfig): number => ranks.get(name) ?? rules.length;
  return accepted.toSorted((a, b) => rank(a) - rank(b));
}

function faultOf({ change, path }: Difference): Fault {
  const { kind, name, what, inForce, denies } = change;
  return {
    kind: kind === "setting" ? "config" : kind,
    state: "waiting",
    name,
    file: path ?? "",
    what,
    effect: inForce,
    denies,
    isEdit: true,
    run: `hookline policy accept ${shellWord(name)}`,
  };
}
