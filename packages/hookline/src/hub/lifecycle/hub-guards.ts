import { type Bus, errorText, HookError } from "@hookline/core";
import { withFix } from "@hookline/core/internal";
import { readPrivately, replacePrivately } from "@hookline/core/internal/machine";
import { shellWord } from "@hookline/core/internal/text";
import { sendersOf } from "../../agents/agent-sender.js";
import type { Config, LoadedConfig } from "../../config/config.js";
import type { Rule } from "../../rules/rule.js";
import { hasState, needsOf, noteEvent, type StateNeeds } from "../../rules/state/state-condition.js";
import { createLimitReports, readKnownTools } from "../agents/limit-reports.js";
import { openAlwaysAllow } from "../approvals/always-allow.js";
import { createApprovals } from "../approvals/approvals.js";
import { createBundlePolicy } from "../bundles/bundle-policy.js";
import { openJoinedFleet } from "../fleet/open-fleet.js";
import { createAskedEvents } from "../gates/asked-events.js";
import { createGates } from "../gates/gates.js";
import { createPause, withPause } from "../gates/pause.js";
import { createCarriedCounts } from "../handlers/carried-counts.js";
import { createHandlerControls } from "../handlers/handlers.js";
import { keepLastFired } from "../handlers/last-fired.js";
import type { Mode } from "../mode.js";
import { type Acceptance, createAcceptance, type Wanted } from "../policy/acceptance.js";
import { NOTED } from "../policy/accepted-policy.js";
import type { GuardSet } from "../policy/guard-set.js";
import { withContext } from "../policy/payload-context.js";
import type { openPolicies } from "../policy/policies.js";
import { createProjectScopes } from "../policy/project-scopes.js";
import { openRuleState } from "../policy/rule-state-file.js";
import { openSessionProjects } from "../policy/session-projects.js";
import { createUntrustedProjects, RECORD } from "../policy/untrusted-projects.js";
import type { PolicyChange, SelftestAnswer, SelftestGuard } from "../protocol.js";
import type { OpenSinks } from "../sinks/open-sinks.js";
import type { RetentionLimits } from "../store/retention.js";
import type { HubSetting } from "./hub-options.js";
import type { HubRecord } from "./hub-record.js";

interface GuardOptions extends Omit<HubSetting, "mode"> {
  readonly acceptance: Acceptance;
  readonly bus: Bus;
  /** With the fleet's guards alone. */
  readonly pausedBus: Bus;
  readonly record: HubRecord;
  readonly report: (error: HookError) => void;
  /** Loaded while the store opens. */
  readonly openPolicies: typeof openPolicies;
}

/** Which part of the policy on disk the operator has accepted. */
export async function openAcceptance({ folders, onProblem, mode, alarms, store, protect }: AcceptanceSetting): Promise<Acceptance> {
  const isPlain = mode() === "plain";
  return createAcceptance({
    state: folders.state,
    mode,
    // Where a plain hub finds neither record nor note, it is new. Elsewhere the store knows better, and protect is turned on in a running
    // hub, which has written a record.
    known: readNoted(folders.data) ?? (isPlain ? undefined : await store.fact(NOTED)),
    isOld: protect.isOn,
    note(digest) {
      replacePrivately(folders.data, NOTED, `${digest}\n`);
      store.setFact(NOTED, digest).catch((error: unknown) => onProblem(errorText(error)));
    },
    // In plain mode nothing waits that could be shown.
    alarm: (what) => alarms.raise(what.kind === "changed" ? what : { ...what, fix: { run: "hookline policy diff" } }),
    onProblem,
  });
}

interface AcceptanceSetting extends Pick<HubSetting, "folders" | "onProblem"> {
  readonly mode: () => Mode;
  readonly alarms: HubRecord["alarms"];
  readonly store: Pick<HubRecord["store"], "fact" | "setFact">;
  readonly protect: { readonly isOn: boolean };
}

/** The policy on the hub's bus, the gates through which it is asked, and the approvals of people. */
export async function openGuards(options: GuardOptions) {
  const { bus, pausedBus, record, config, problems, path, folders, onProblem, report, undo, openPolicies, acceptance } = options;
  const { store, sinks, retention, ownEvents } = record;
  const untrusted = createUntrustedProjects(folders.state, onProblem);
  const sessionProjects = openSessionProjects(folders.state, onProblem);
  undo.add(() => sessionProjects.close());
  const scopes = createProjectScopes({ onPlace: untrusted.visit, sessionProjects });
  const asked = createAskedEvents();
  const pause = createPause({ tell: ownEvents.tell });
  undo.add(() => pause.close());
  const gates = createGates(withPause(bus, pause, pausedBus), scopes, asked);
  const counts = createCarriedCounts(bus);
  let needs: StateNeeds | undefined;
  let tellLimits: (() => Promise<void>) | undefined;
  let adoptNotify: (next: Config["notify"]) => void = () => {};
  const ruleState = openRuleState({ folder: folders.state, data: folders.data, onProblem });
  undo.add(() => ruleState.close());
  const joined = await openJoinedFleet(folders.state, store);
  const bundles = createBundlePolicy({
    state: folders.state,
    data: folders.data,
    alarm: record.alarms.raise,
    onProblem,
    isJoined: () => joined.role === "host",
  });
  const policies = await openPolicies({
    bus,
    pausedBus,
    acceptance,
    bundles,
    ruleState: ruleState.state,
    config,
    problems,
    path,
    state: folders.state,
    scopes,
    counts,
    onError: report,
    onProblem,
    onNotify: ownEvents.notify,
    onShadow: ownEvents.shadow,
    onChange() {
      needs = undefined;
      gates.refresh();
      void tellLimits?.().catch(report);
    },
    settled() {
      gates.leases.renew();
      return gates.leases.settled();
    },
    onConfig: (loaded) => adoptTables(loaded, { config, sinks, retention, notify: (next) => adoptNotify(next), onProblem }),
  });
  undo.add(() => policies.close());
  record.onStored((arrivals) => {
    needs ??= needsOf(rulesIn(policies.guards()));
    if (!needs.parents) return;
    for (const { envelope } of arrivals) noteEvent(ruleState.state, envelope.event, withContext(envelope.payload, envelope), needs);
  });
  const fired = keepLastFired({ bus, counts, store, onProblem });
  undo.add(() => fired.close());
  const knownTools = () => readKnownTools(folders.attached, store);
  tellLimits = createLimitReports({
    tools: knownTools,
    rules: () => policies.guards().rules,
    hooks: () => policies.guards().hooks.map(({ hook }) => hook),
    onProblem,
  });
  await tellLimits().catch(report);
  const alwaysAllow = openAlwaysAllow(folders.state);
  return {
    /** Told when a changed file has other notifications. */
    onNotify(adopt: typeof adoptNotify): void {
      adoptNotify = adopt;
    },
    scopes,
    bundles,
    joined,
    asked,
    pause,
    gates,
    counts,
    knownTools,
    alwaysAllow,
    approvals: createApprovals({ always: alwaysAllow, tell: ownEvents.approval }),
    handlers: createHandlerControls(policies, acceptance),
    policy: {
      async list() {
        await policies.reload();
        return acceptance.list();
      },
      async accept(wanted: readonly Wanted[]) {
        // The files as they are now count, and they must be the ones that were shown.
        await policies.reload();
        const accepted = acceptance.accept(wanted);
        if (accepted.length > 0) ownEvents.tell("policy:accepted", { changes: accepted });
        await policies.reload();
        return accepted;
      },
    },
    /** False for a rule that is not in force. Throws `HL_CONFIG` where a rule of the fleet would forget, too. */
    resetRules(name?: string): boolean {
      const rule = policies.guards().rules.find((one) => one.name === name);
      if (name !== undefined && rule === undefined) return false;
      const isShared = rule === undefined || rule.budget !== undefined || rule.repeats !== undefined;
      if (isShared && ruleState.state.fault === undefined && fleetRules(policies.guards()).some(hasState))
        throw new HookError("HL_CONFIG", "Rules of the fleet's policy would forget, too, so nothing was reset.", {
          fix: "Reset rules of yours by name, if they do not use `budget` or `repeats`.",
        });
      ruleState.reset(rule);
      return true;
    },
    hooks: () => ({ hooks: policies.hooks(), untrusted: untrusted.list() }),
    faults() {
      const found = [...policies.faults(), ...ruleState.faults()];
      // While the whole record of consent cannot be read, a hook of its name stands for it.
      return found.some(({ name }) => name === RECORD) ? found : [...found, ...untrusted.faults()];
    },
    async selftest(signal: AbortSignal): Promise<SelftestAnswer> {
      // A file that was written a moment ago counts.
      await policies.reload();
      const { runSelftest } = await import("../selftest/selftest.js");
      const tried = await runSelftest(policies.guards(), { signal, senders: sendersOf(await knownTools()) });
      const waiting = acceptance.list().changes.filter(({ kind, change }) => kind !== "setting" && change === "new");
      const answer = { ...tried, ok: tried.ok && waiting.length === 0, guards: [...tried.guards, ...waiting.map(untried)] };
      const paused = pause.current();
      // A guard that would deny but is not asked guards nothing.
      return paused === undefined ? answer : { ...answer, ok: false, paused };
    },
  };
}

function fleetRules({ hooks }: GuardSet): readonly Rule[] {
  return hooks.flatMap(({ hook }) => (hook.from === "fleet" ? (hook.rules ?? []) : []));
}

function rulesIn({ rules, hooks }: GuardSet): readonly Rule[] {
  return [...rules, ...hooks.flatMap(({ hook }) => hook.rules ?? [])];
}

/** A rule or hook that is on disk and not in force. */
function untried({ kind, name }: PolicyChange): SelftestGuard {
  return {
    name,
    kind: kind === "rule" ? "rule" : "hook",
    state: "waiting",
    hint: `hookline policy accept ${shellWord(name)}`,
    canaries: [],
  };
}

function readNoted(folder: string): string | undefined {
  const read = readPrivately(folder, NOTED);
  return read.state === "found" ? read.bytes.toString("utf8").trim() : undefined;
}

export type HubGuards = Awaited<ReturnType<typeof openGuards>>;

interface Tables {
  /** What the hub was started with. */
  readonly config: Config;
  readonly sinks: Pick<OpenSinks, "adopt">;
  readonly retention: { adopt(limits: RetentionLimits): void };
  readonly notify: (next: Config["notify"]) => void;
  readonly onProblem: (text: string) => void;
}

/** Takes what a changed `hookline.toml` says besides rules and hooks. A table that is wrong stays as it was. */
function adoptTables({ path, config: next, problems }: LoadedConfig, { config, sinks, retention, notify, onProblem }: Tables): void {
  if (next === undefined) return;
  const isWrong = (tables: RegExp): boolean => problems.some(({ key }) => tables.test(key));
  if (isWrong(/^(sink|redact)\b/)) onProblem(`${path}: because of that, the sinks stay as they were.`);
  else sinks.adopt(next.sinks);
  if (!isWrong(/^(notify|redact)\b/)) notify(next.notify);
  if (!isWrong(/^retention\b/)) retention.adopt(next.retention);
  if (JSON.stringify(next.hub) !== JSON.stringify(config.hub))
    onProblem(withFix(`${path}: [hub] counts from the next start.`, { run: "hookline down && hookline up" }));
}
