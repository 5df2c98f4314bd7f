import type { FleetPart, FleetPort, FleetSettings } from "hookline/internal/fleet";
import { openPinnedRoster } from "../credentials/pinned-roster.js";
import { whenConnected } from "../nats/connected-part.js";
import { answerControl } from "./control.js";
import { EventSink } from "./event-sink.js";
import { followFleetAlways } from "./fleet-always.js";
import { createLiveTails } from "./live-tails.js";
import { offerQuestions } from "./offered-questions.js";
import { followPolicy, policyFacts } from "./policy-channel.js";
import { announcePresence } from "./presence.js";

/** Lets a hub take part in a fleet as a host. The hub works without the fleet. */
export function startHost(port: FleetPort, settings: FleetSettings): FleetPart {
  const { name: host, fleet } = settings;
  const { events, approvals, policy, version, onProblem, folder } = port;
  const roster = openPinnedRoster({ folder, rootKey: settings.rootKey, fleet, minSerial: settings.rosterSerial, onProblem });
  const startedAt = Date.now();
  const fleetSize = (): number => roster.roster?.hosts.length ?? 1;
  return whenConnected(settings, { name: `hookline host ${host}`, onProblem, fleetSize }, (connection, link) => {
    const sink = new EventSink({ connection, link, events, fleet, host, fleetSize, onProblem });
    const tails = createLiveTails(connection, host, events);
    const always = followFleetAlways({
      connection,
      link,
      roster,
      passkey: approvals.isPasskeyResponse,
      needsFactor: approvals.needsFactor,
      onProblem,
    });
    const questions = offerQuestions({ connection, link, host, fleet, approvals, roster, always, onProblem });
    const facts = () => ({
      version,
      startedAt,
      labels: settings.labels,
      store: events.storeId,
      ...policyFacts(policy),
      ...sink.state,
      roster: roster.roster?.serial ?? 0,
      questions: questions.counts,
      always: always.size,
    });
    const presence = announcePresence({ connection, link, host, facts });
    const channel = followPolicy({ connection, link, settings, policy, roster, onProblem, onTaken: presence.changed });
    const control = answerControl(connection, host, {
      resend: ({ store, after }) => sink.resend(String(store), Number(after)),
      doctor: async () => ({ ...facts(), last: await events.lastPosition(), now: Date.now() }),
      live: ({ id }) => tails.open(id),
    });
    return {
      status: facts,
      async close() {
        control.close();
        channel.close();
        tails.close();
        await questions.close();
        always.close();
        await sink.close();
        presence.close();
      },
    };
  });
}
