import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { type BusOptions, createBus, errorText, type HookError, type RegexEngine } from "@hookline/core";

import { createReminderBook } from "@hookline/core/remind";
import { agents as attachable } from "../../agents/agents.js";
import { asAttached } from "../../agents/attach/attached.js";
import { attachFolder } from "../../agents/client/attach-key.js";
import type { Config } from "../../config/config.js";
import { createAgentCalls } from "../agents/agent-calls.js";
import { createHookTimeouts } from "../agents/hook-timeouts.js";
import { createLoadedCommands } from "../agents/loaded-commands.js";
import { createMissCounter } from "../agents/miss-counter.js";
import { createCallReader } from "../agents/read-call.js";
import { createRefusedCounter } from "../agents/refused-counter.js";
import { closeUnanswered } from "../approvals/unanswered.js";
import { createAgentProcesses } from "../auth/agent-processes.js";
import { createDashboardAddress, openDashboardName } from "../auth/dashboard-address.js";
import { createDashboardLogins } from "../auth/dashboard-logins.js";
import { alarmOf } from "../auth/refusals.js";
import { createConnectionServer } from "../connection/connection-server.js";
import { createDecisions } from "../decisions/decisions.js";
import { createSessionEffects, tellingOf } from "../effects/session-effects.js";
import { fleetApprovals } from "../fleet/fleet-approvals.js";
import { openFleet } from "../fleet/open-fleet.js";
import { openPeopleAccess } from "../fleet/people-access.js";
import { createHttpServer } from "../http-server.js";
import { createImports } from "../import/imports.js";
import { HUB_APP } from "../ingest/own-source.js";
import { type Mode, modeOf } from "../mode.js";
import { openNotify } from "../notify/open-notify.js";
import { createRepublisher } from "../observers/republish.js";
import type { HubParts } from "../parts.js";
import { openPhoneAccess, type PhoneAccess } from "../phone/open-phone.js";
import { tableFault } from "../policy/faults.js";
import { createPasskeySignIn } from "../protect/passkey-sign-in.js";
import { openProtect } from "../protect/protect.js";
import { collectSpool } from "../spool/collect-spool.js";
import { createSpoolWriters } from "../spool/spool-writers.js";
import { createSteering } from "../steering/steering.js";
import { openStore } from "../store/open-store.js";
import type { Store } from "../store/store.js";
import { createTamper } from "../tamper/tamper.js";
import { watchUnguardedAgents } from "../tamper/unguarded-agents.js";
import { createFileUsage } from "../usage/file-usage.js";
import { createPrices } from "../usage/prices.js";
import { createDemo } from "./demo.js";
import { type HubGuards, openAcceptance, openGuards } from "./hub-guards.js";
import { openKeys } from "./hub-keys.js";
import type { HubSetting } from "./hub-options.js";
import { type HubRecord, openRecord } from "./hub-record.js";
import type { Listening } from "./listen-on-port.js";
import { createStoreFaults } from "./store-faults.js";
import { readVersion } from "./version.js";

const INSTANCE_BYTES = 5;

/** Opens the parts, the store first and the servers last; they close in the opposite order. */
export async function assembleHub(setting: HubSetting) {
  const { config, folders, onProblem, undo } = setting;
  const report = (error: HookError): void => onProblem(errorText(error));
  const storePath = join(folders.data, "events.db");
  // The store opens in a thread of its own, and slow modules load meanwhile.
  const storeFaults = createStoreFaults(onProblem);
  const opening = openStore(storePath, { onFault: storeFaults.report, onProblem, onProgress: setting.onProgress });
  const loading = Promise.all([import("../policy/policies.js"), import("../../rules/regex/rule-regex.js")]);
  const store = await opening;
  undo.add(() => store.close());
  const [{ openPolicies }, { ruleRegex }] = await loading;
  const instance = randomBytes(INSTANCE_BYTES).toString("hex");
  const record = await openRecord({ config, folders, instance, store, storePath, onProblem, report, undo });
  storeFaults.useAlarms(record.alarms);
  const dashboard = await openDashboard(setting, store);
  const modeWith = (protect: { readonly isOn: boolean }): Mode => setting.mode ?? modeOf({ protect, managed: setting.managed });
  const note = (message: string): void => record.ownEvents.tell("notification:sent", { message });
  let phone: PhoneAccess | undefined;
  const protect = await openProtect({
    state: folders.state,
    store,
    raise: record.alarms.raise,
    note,
    phones: () => phone?.passkeys,
    dashboardName: () => dashboard.address.names()[0],
    mode: modeWith,
    onProblem,
  });
  undo.add(() => protect.close());
  dashboard.follow(protect);
  const mode = (): Mode => modeWith(protect);
  const acceptance = await openAcceptance({ folders, onProblem, mode, alarms: record.alarms, store, protect });
  const settled = acceptance.settled(config);
  // As the setting was accepted: a changed file does not choose where links lead.
  const origin = settled.hub.publicUrl;
  phone = await openPhoneAccess({ state: folders.state, store, origin, raise: record.alarms.raise, note, onProblem });
  dashboard.onAllEnded(phone.push.clear);
  const { bus, pausedBus, reminders } = createHubBus(settled, { instance, regex: ruleRegex, onError: report });
  const guards = await openGuards({ ...setting, acceptance, bus, pausedBus, record, report, openPolicies });
  const keys = openKeys(setting);
  const effects = createSessionEffects();
  undo.add(() => effects.close());
  const { ingest, preparer } = record;
  const { gates, approvals, asked, pause, scopes } = guards;
  const connectionServer = createConnectionServer({ instance, ingest, gates, tokens: keys.tokens, approvals, effects });
  const observers = createRepublisher(bus, {
    locate: (envelope) => scopes.locate(envelope, connectionServer.cwdOf),
    wasAsked: asked.has,
    onEffects: (envelope, left) => void effects.leave(envelope, tellingOf(left, envelope.event)),
  });
  record.onStored(observers.publish);
  const unanswered = closeUnanswered({
    store,
    tell: record.ownEvents.approval,
    isConnected: connectionServer.hasInstance,
    isWaiting: (id) => approvals.list().some((row) => row.id === id),
    onError: (error) => onProblem(`Earlier approvals could not be read: ${String(error)}`),
  });
  record.onStored(unanswered.see);
  undo.add(() => unanswered.close());
  const writers = createSpoolWriters(folders, (writer) => connectionServer.hasWriter(writer));
  const spool = collectSpool({ folder: folders.spool, ingest, writers, onProblem });
  undo.add(() => spool.close());
  const misses = createMissCounter(attachFolder(folders.state), onProblem);
  undo.add(() => misses.close());
  const refused = createRefusedCounter(attachFolder(folders.state), onProblem);
  undo.add(() => refused.close());
  const agentProcesses = createAgentProcesses({ state: folders.state, clients: folders.attached, onProblem });
  const tamper = createTamper({
    state: folders.state,
    attach: folders.attached,
    raise: record.alarms.raise,
    mode,
    onProblem,
  });
  const unguarded = watchUnguardedAgents({
    attach: folders.attached,
    programs: agentProcesses.programs,
    isAsking: ({ pid, startedAt }) => agentProcesses.list().some((one) => one.pid === pid && one.startedAt === startedAt),
    raise: record.alarms.raise,
    mode,
    onProblem,
  });
  undo.add(() => unguarded.close());
  const reader = createCallReader();
  undo.add(() => reader.close());
  const agents = createAgentCalls({
    timeoutOf: createHookTimeouts(folders.attached),
    dialects: attachable,
    versionOf: (dialect) =>
      attachable.flatMap((agent) => (agent.id === dialect.id ? [asAttached(folders.attached, agent)] : []))[0] ?? dialect,
    gates,
    approvals,
    ingest,
    preparer,
    reader,
    asked,
    book: reminders,
    effects,
    pause,
    has: (event) => bus.has(event),
    tell: observers.tell,
    settingsFault: tamper.faultIn,
    refused,
    seeFolder: tamper.seeFolder,
    silencedIn: tamper.silencedIn,
    loaded: createLoadedCommands({
      askTimeoutMs: settled.hub.askTimeoutMs,
      note: (message) => record.ownEvents.tell("notification:sent", { message }),
    }),
    processOf: agentProcesses.processOf,
    onProblem,
  });
  undo.add(() => agents.flush());
  const fleet = openFleet({
    state: folders.state,
    version: readVersion(),
    record,
    policy: { ...guards.bundles, tableFault: () => tableFault(guards.faults()) },
    joined: guards.joined,
    alarm: record.alarms.raise,
    approvals: fleetApprovals({ approvals, preparer, raise: record.alarms.raise, mode }),
    onProblem,
  });
  undo.add(() => fleet.close());
  const people = openPeopleAccess({
    people: () => fleet.part?.people,
    settings: settled.fleet,
    publicOrigin: origin,
    dashboardName: () => dashboard.address.names()[0],
    logins: dashboard.logins,
  });
  undo.add(() => people.close());
  const notify = openNotify(settled.notify, {
    state: folders.state,
    store,
    live: record.live,
    approvals,
    linkTo: phone.links.linkTo,
    push: phone.push,
    onError: report,
    onProblem,
  });
  undo.add(() => notify.close());
  record.onStored(notify.see);
  guards.onNotify(notify.adopt);
  const servers = openServers(
    { ...setting, config: settled },
    {
      bus,
      agentProcesses,
      instance,
      record,
      guards,
      keys,
      effects,
      agents,
      connectionServer,
      misses,
      protect,
      tamper,
      fleet,
      people,
      dashboard,
      notify,
      phone,
    },
  );
  void spool.collect();
  return servers;
}

interface BusParts {
  readonly instance: string;
  readonly regex: RegexEngine;
  readonly onError: (error: HookError) => void;
}

function createHubBus({ hub: { askTimeoutMs } }: Config, { instance, regex, onError }: BusParts) {
  const reminders = createReminderBook();
  const options: BusOptions = {
    reminders,
    source: { app: HUB_APP, instance },
    // The program that starts the hub may be an agent, and its environment must not switch the guards off.
    enabled: true,
    onAsk: "return",
    onError,
    regex,
    ...(askTimeoutMs !== undefined && { askTimeoutMs }),
  };
  return { bus: createBus(options), pausedBus: createBus(options), reminders };
}

/** The fact in the store: the name at which people of the fleet have made passkeys. */
const PASSKEY_NAME = "fleet-passkey-name";

/** Where the dashboard is, and who is signed in there. Once a passkey exists, the address keeps its name. */
async function openDashboard({ folders, onProblem }: HubSetting, store: Pick<Store, "fact" | "setFact">) {
  let peopleName = await store.fact(PASSKEY_NAME);
  let passkeyName = (): string | undefined => peopleName;
  const address = createDashboardAddress(openDashboardName(folders.state, onProblem), {
    kept: () => passkeyName(),
    endLogins: () => logins.endAll(),
  });
  let onAllEnded = (): void => {};
  const logins = createDashboardLogins({
    state: folders.state,
    onAllEnded() {
      address.replace();
      onAllEnded();
    },
    onProblem,
  });
  return {
    address,
    logins,
    onAllEnded(listener: () => void): void {
      onAllEnded = listener;
    },
    follow(protect: Pick<HubParts["protect"], "passkeyName">): void {
      passkeyName = () => protect.passkeyName ?? peopleName;
    },
    async keepName(name: string): Promise<void> {
      if (peopleName === name || address.names()[0] !== name) return;
      await store.setFact(PASSKEY_NAME, name);
      peopleName = name;
    },
  };
}

interface Opened
  extends Pick<
    HubParts,
    "bus" | "instance" | "effects" | "agents" | "agentProcesses" | "protect" | "tamper" | "fleet" | "people" | "notify" | "phone"
  > {
  readonly dashboard: Awaited<ReturnType<typeof openDashboard>>;
  readonly record: HubRecord;
  readonly guards: HubGuards;
  readonly keys: ReturnType<typeof openKeys>;
  readonly connectionServer: ReturnType<typeof createConnectionServer>;
  readonly misses: ReturnType<typeof createMissCounter>;
}

/** What the routes see of the hub, and the servers. */
function openServers({ config, folders, managed, remoteApprovals, startedWith, isTied, onProblem, undo }: HubSetting, opened: Opened) {
  const { record, guards, keys, connectionServer, misses, effects, agents, protect, tamper } = opened;
  const { address: dashboard, logins } = opened.dashboard;
  const { store, ingest, preparer, ownEvents } = record;
  const { gates, approvals, asked, pause } = guards;
  const imports = createImports({ ingest, store });
  const fileUsage = createFileUsage({ imports, env: process.env, onProblem });
  record.onStored(fileUsage.see);
  undo.add(() => fileUsage.close());
  const demo = createDemo({ state: folders.state, onProblem });
  undo.add(() => demo.close());
  let onStop = (): void => {};
  let onHandOver = (): void => {};
  const parts: HubParts = {
    ...record,
    ...guards,
    instance: opened.instance,
    bus: opened.bus,
    startedAt: new Date().toISOString(),
    version: readVersion(),
    data: folders.data,
    managed,
    tokens: keys.tokens,
    logins,
    protect,
    tamper,
    notify: opened.notify,
    sinks: { ...record.sinks, list: () => [...record.sinks.list(), ...opened.notify.list()] },
    fleet: opened.fleet,
    people: opened.people,
    publicOrigin: config.hub.publicUrl,
    phone: opened.phone,
    signIn: createPasskeySignIn(),
    keepDashboardName: opened.dashboard.keepName,
    url: dashboard.url,
    dashboardNames: dashboard.names,
    dashboardNote: dashboard.note,
    remoteApprovals: remoteApprovals ?? config.hub.remoteApprovals === true,
    sources: connectionServer,
    effects,
    agents,
    steering: createSteering({
      store,
      effects,
      isAttachable: (id) => agents.find(id) !== undefined,
      record: ownEvents.record,
      tell: ownEvents.tell,
    }),
    agentProcesses: opened.agentProcesses,
    onRefused: (refused) => record.alarms.raise(alarmOf(refused)),
    startDemo: demo.start,
    imports,
    prices: createPrices(config.prices),
    decisions: createDecisions({ gates, approvals, ingest, preparer, store, asked, pause }),
    misses: misses.list,
    rotateKeys(which) {
      const byHand = keys.rotate(which);
      if (which === "all") {
        connectionServer.dismiss("token_rotated");
        logins.endAll();
      }
      return byHand;
    },
    urls: () => httpServer.urls,
    stop: () => onStop(),
    startedWith,
    isTied,
    handOver: () => onHandOver(),
  };
  const httpServer = createHttpServer(parts, { onError: (error) => onProblem(errorText(error)) });
  undo.add(() => httpServer.close());
  undo.add(() => connectionServer.close());
  return {
    parts,
    /** Where the hub may listen. */
    address: {
      ...(config.hub.host !== undefined && { host: config.hub.host }),
      ...(config.hub.port !== undefined && { port: config.hub.port }),
    },
    http: httpServer,
    line: connectionServer,
    /** Returns notes for the person who started the hub. */
    useAddress(where: Listening): readonly string[] {
      dashboard.settle(where);
      const note = dashboard.note();
      return [...(note === undefined ? [] : [note]), ...keys.useUrl(where.url)];
    },
    onRotated: keys.onRotated,
    onStop(listener: () => void): void {
      onStop = listener;
    },
    onHandOver(listener: () => void): void {
      onHandOver = listener;
    },
  };
}
