import { type Attached, readAttached } from "../../agents/attach/attached.js";
import { askProgram, type FoundProgram } from "../../agents/attach/find-program.js";
import { readMissTotals } from "../../agents/client/misses.js";
import { contractFor, type GuardLevel, triedVersion } from "../../agents/shared/contract.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import type { EventsAnswer } from "../../hub/protocol.js";
import type { HubClient } from "../hub-client.js";
import type { AttachSetting } from "./attach-setting.js";
import { cautionsOf, httpCaution, noticesOf } from "./cautions.js";
import { guardLevel, levelCaution, versionCaution } from "./contract-text.js";

/** The state of an agent: installed, attached, last event. */
export interface AgentRow {
  readonly agent: string;
  readonly installed: FoundProgram | undefined;
  /** The version that was tested. Missing if support is based on the agent's documentation only. */
  readonly tried?: string;
  /** How far its calls can be guarded. */
  readonly guarding: GuardLevel;
  /** What Hookline knows about its hooks comes from the program itself, or from its documentation alone. */
  readonly known: "here" | "documentation";
  readonly attached: readonly Omit<Attached, "agent">[];
  /** What prevents its hooks from running, or must be done before they run. */
  readonly cautions: readonly string[];
  /** Milliseconds since 1970. */
  readonly lastEventAt?: number;
  /** How many calls did not reach the hub. */
  readonly missed: number;
}

interface Sources {
  readonly env: NodeJS.ProcessEnv;
  readonly setting: AttachSetting;
  readonly hub: HubClient | undefined;
}

export async function readAgentRow(agent: AgentDefinition, { env, setting, hub }: Sources): Promise<AgentRow> {
  const { id, program, contracts } = agent;
  const installed = askProgram(program, env);
  const { contract } = contractFor(contracts, installed?.version);
  const tried = triedVersion(contracts);
  const attached = readAttached(setting.folder).filter(({ agent }) => agent === id);
  const lastEventAt = hub === undefined ? undefined : await readLast(hub, id);
  return {
    agent: id,
    installed,
    ...(tried !== undefined && { tried }),
    guarding: guardLevel(agent, installed?.version),
    known: contract.source.tried,
    attached: attached.map(({ agent: _, ...one }) => one),
    cautions: [
      ...new Set(
        attached.flatMap((one) => [
          ...cautionsOf(agent, one, env),
          ...noticesOf(agent, one, env),
          ...(one.transport === "http" ? [httpCaution(id)] : []),
        ]),
      ),
      ...(attached.length === 0 ? [] : [levelCaution(agent, installed?.version), versionCaution(agent, installed?.version)]),
    ].filter((text) => text !== undefined),
    ...(lastEventAt !== undefined && { lastEventAt }),
    missed: readMissTotals(setting.folder).reduce((sum, { agent, count }) => (agent === id ? sum + count : sum), 0),
  };
}

async function readLast(hub: HubClient, id: string): Promise<number | undefined> {
  const { events } = await hub.get<EventsAnswer>("/api/events", new URLSearchParams({ source: id, limit: "1" }));
  const [last] = events;
  return last === undefined ? undefined : Date.parse(last.at);
}
