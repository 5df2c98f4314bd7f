import { join } from "node:path";
import { createBus, errorText, type HookError } from "@hookline/core";
import { createReminderBook } from "@hookline/core/remind";
import { sendersOf } from "../../agents/agent-sender.js";
import { agents as attachable } from "../../agents/agents.js";
import { followHub, renewHttp } from "../../agents/attach/http-entries.js";
import { attachFolder, createAttachKey, openAttachKey, writeAttachKey } from "../../agents/client/attach-key.js";
import type { Config } from "../../config/config.js";
import type { ConfigProblem } from "../../config/problem.js";
import { createAgentDesk } from "../agents/agent-desk.js";
import { readKnownTools } from "../agents/known-tools.js";
import { createMissCounter } from "../agents/miss-counter.js";
import { createLimitTeller } from "../agents/say-limits.js";
import { openAlwaysAllow } from "../approvals/always-allow.js";
import { createApprovals } from "../approvals/approvals.js";
import { createDashboardAddress, openDashboardName } from "../auth/dashboard-address.js";
import { createDashboardLogins } from "../auth/dashboard-logins.js";
import { createRefusals } from "../auth/refusals.js";
import { createTokens } from "../auth/tokens.js";
import { createDecisions } from "../decisions/decisions.js";
import { createSessionEffects, tellingOf } from "../effects/session-effects.js";
import { createAskedEvents } from "../gates/asked-events.js";
import { createGates } from "../gates/gates.js";
import { createPause, withPause } from "../gates/pause.js";
import { createCarriedCounts } from "../handlers/carried-counts.js";
import { createHandlerControls } from "../handlers/handlers.js";
import { keepLastFired } from "../handlers/last-fired.js";
import { createHttpServer } from "../http-server.js";
import { createIngest } from "../ingest/ingest.js";
import { createOwnEvents } from "../ingest/own-events.js";
import { HUB_APP } from "../ingest/own-source.js";
import { createLineServer } from "../line/line-server.js";
import { createLive } from "../live/live.js";
import { createRepublisher } from "../observers/republish.js";
import type { HubParts } from "../parts.js";
import { createProjectScopes } from "../policy/project-scopes.js";
import { openSessionProjects } from "../policy/session-projects.js";
import { createUntrustedProjects, RECORD } from "../policy/untrusted-projects.js";
import { openSinks } from "../sinks/open-sinks.js";
import { collectSpool } from "../spool/collect-spool.js";
import { createSpoolWriters } from "../spool/spool-writers.js";
import { createSteering } from "../steering/steering.js";
import { keepDecisionHead } from "../store/decision-head.js";
import { openStore } from "../store/open-store.js";
import { keepWithin } from "../store/retention-schedule.js";
import { adoptTables } from "./adopt-tables.js";
import { createDemo } from "./demo.js";
import type { HubFolders } from "./hub-options.js";
import type { Listening } from "./listen-on-port.js";
import type { Undo } from "./undo.js";
import { readVersion } from "./version.js";

interface Setting {
  readonly config: Config;
  /** What is wrong in it. */
  readonly problems: readonly ConfigProblem[];
  /** Where it stands. */
  readonly path: string;
  readonly folders: HubFolders;
  readonly onProblem: (text: string) => void;
  readonly undo: Undo;
}

/** Puts the parts together, the store first and the servers last; they are taken apart the other way round. */
export async function assembleHub({ config, problems, path, folders, onProblem, undo }: Setting) {
  const report = (error: HookError): void => onProblem(errorText(error));
  const storePath = join(folders.data, "events.db");
  const opening = openStore(storePath);
  // The store opens in a thread of its own: what takes long to load is loaded meanwhile.
  const loading = Promise.all([import("../policy/policies.js"), import("../../rules/regex/rule-regex.js")]);
  const store = await opening;
  undo.add(() => store.close());
  const decisionHead = await keepDecisionHead({ store, path: storePath, state: folders.state, onProblem });
  undo.add(() => decisionHead.close());
  const [{ openPolicies }, { ruleRegex }] = await loading;
  const { askTimeoutMs } = config.hub;
  const reminders = createReminderBook();
  const bus = createBus({
    reminders,
    source: HUB_APP,
    // Whoever starts the hub, perhaps an agent, must not be able to switch its guards off by a variable.
    enabled: true,
    onAsk: "return",
    onError: report,
    regex: ruleRegex,
    ...(askTimeoutMs !== undefined && { askTimeoutMs }),
  });
  const instance = bus.source.instance as string;
  const untrusted = createUntrustedProjects(folders.state, onProblem);
  const sessionProjects = openSessionProjects(folders.state, onProblem);
  undo.add(() => sessionProjects.close());
  const scopes = createProjectScopes({ onPlace: untrusted.visit, sessionProjects });
  const asked = createAskedEvents();
  const pause = createPause({ tell: (event, payload) => ownEvents.tell(event, payload) });
  const gates = createGates(withPause(bus, pause), scopes, asked);
  const counts = createCarriedCounts(bus);
  const live = createLive();
  const effects = createSessionEffects();
  const republisher = createRepublisher(bus, {
    locate: (envelope) => scopes.locate(envelope, lineServer.cwdOf),
    wasAsked: asked.has,
    onEffects: (envelope, left) => void effects.leave(envelope, tellingOf(left, envelope.event)),
  });
  const ingest = createIngest({
    instance,
    store,
    onStored(arrivals) {
      live.publish(arrivals);
      republisher.publish(arrivals);
    },
  });
  const ownEvents = createOwnEvents(ingest, report);
  undo.add(() => ownEvents.close());
  undo.add(() => effects.close());
  undo.add(() => pause.close());
  const alwaysAllow = openAlwaysAllow(folders.state);
  const approvals = createApprovals({ always: alwaysAllow, tell: ownEvents.tell });
  let tellLimits: (() => Promise<void>) | undefined;
  const knownTools = () => readKnownTools(attachFolder(folders.state), store);
  const policies = await openPolicies({
    bus,
    config,
    problems,
    path,
    state: folders.state,
    scopes,
    counts,
    onError: report,
    onProblem,
    onNotify: ownEvents.notify,
    onChange() {
      gates.refresh();
      void tellLimits?.().catch(report);
    },
    onConfig: (loaded) => adoptTables(loaded, { config, sinks, retention, onProblem }),
  });
  undo.add(() => policies.close());
  const fired = keepLastFired({ bus, counts, store, onProblem });
  undo.add(() => fired.close());
  const sinks = openSinks(config.sinks, { store, live, onError: report });
  undo.add(() => sinks.close());
  const retention = keepWithin(store, config.retention, onProblem);
  undo.add(() => retention.close());
  const writers = createSpoolWriters(folders, (writer) => lineServer.hasWriter(writer));
  const spool = collectSpool({ folder: folders.spool, ingest, writers, onProblem });
  undo.add(() => spool.close());
  let key = openAttachKey(folders.state, join(folders.runtime, "http.sock"));
  const misses = createMissCounter(attachFolder(folders.state), onProblem);
  undo.add(() => misses.close());
  tellLimits = createLimitTeller({
    tools: knownTools,
    rules: () => policies.guards().rules,
    hooks: () => policies.guards().hooks.map(({ hook }) => hook),
    onProblem,
  });
  await tellLimits().catch(report);
  const tokens = createTokens(
    key,
    attachable.filter(({ install }) => install.canPost === true).map(({ id }) => id),
  );
  const agents = createAgentDesk({
    dialects: attachable,
    gates,
    approvals,
    ingest,
    asked,
    book: reminders,
    effects,
    pause,
    has: (event) => bus.has(event),
    tell: republisher.tell,
    onProblem,
  });
  const lineServer = createLineServer({ instance, ingest, gates, tokens, approvals, effects });
  const dashboard = createDashboardAddress(openDashboardName(folders.state, onProblem));
  const logins = createDashboardLogins({ state: folders.state, onAllEnded: dashboard.replace, onProblem });
  const demo = createDemo({ state: folders.state, onProblem });
  undo.add(() => demo.close());
  let address = "";
  let onRotated = (): void => {};
  let onStop = (): void => {};
  const parts: HubParts = {
    instance,
    startedAt: new Date().toISOString(),
    version: readVersion(),
    data: folders.data,
    store,
    decisionHead,
    ingest,
    live,
    tokens,
    logins,
    url: dashboard.url,
    dashboardNames: dashboard.names,
    dashboardNote: dashboard.note,
    remoteApprovals: config.hub.remoteApprovals === true,
    sources: lineServer,
    bus,
    sinks,
    gates,
    effects,
    pause,
    counts,
    approvals,
    steering: createSteering({
      store,
      effects,
      isAttachable: (id) => agents.find(id) !== undefined,
      record: ownEvents.record,
      tell: ownEvents.tell,
    }),
    onRefused: createRefusals(ownEvents.tell),
    alwaysAllow,
    handlers: createHandlerControls(policies),
    startDemo: demo.start,
    agents,
    decisions: createDecisions({ gates, approvals, ingest, store, asked, pause }),
    misses: misses.list,
    hooks: () => ({ hooks: policies.hooks(), untrusted: untrusted.list() }),
    knownTools,
    faults() {
      const found = policies.faults();
      // While the whole record cannot be read, a hook of its name stands for it.
      return found.some(({ name }) => name === RECORD) ? found : [...found, ...untrusted.faults()];
    },
    async selftest(signal) {
      // What was written a moment ago counts.
      await policies.reload();
      const { runSelftest } = await import("../selftest/selftest.js");
      const answer = await runSelftest(policies.guards(), { signal, senders: sendersOf(await knownTools()) });
      const paused = pause.current();
      // A guard that would deny and is not asked guards nothing.
      return paused === undefined ? answer : { ...answer, ok: false, paused };
    },
    rotateKeys(which) {
      const next = createAttachKey(key.socket);
      const takeBack = tokens.rotate(next, which);
      try {
        onRotated();
        writeAttachKey(folders.state, next);
      } catch (error) {
        // A token that could not be written down would be known to nobody.
        takeBack();
        quietly(onRotated);
        throw error;
      }
      key = next;
      if (which === "all") {
        lineServer.dismiss("token_rotated");
        logins.endAll();
      }
      return renewHttp(attachFolder(folders.state), { url: address, key });
    },
    urls: () => httpServer.urls,
    stop: () => onStop(),
  };
  const httpServer = createHttpServer(parts, { onError: (error) => onProblem(errorText(error)) });
  undo.add(() => httpServer.close());
  undo.add(() => lineServer.close());
  const servers = {
    http: httpServer,
    line: lineServer,
    /** Gives what a person should know. */
    useAddress(where: Listening): readonly string[] {
      address = where.url;
      dashboard.settle(where);
      const note = dashboard.note();
      return [...(note === undefined ? [] : [note]), ...followHub(attachFolder(folders.state), { url: address, key })];
    },
    onRotated(listener: () => void): void {
      onRotated = listener;
    },
    onStop(listener: () => void): void {
      onStop = listener;
    },
  };
  void spool.collect();
  return { parts, servers };
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // What went wrong is told already.
  }
}
