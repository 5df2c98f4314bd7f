import { type FoundProgram, findProgram } from "../../agents/attach/find-program.js";
import type { AgentProgram } from "../../agents/attach/programs.js";
import { readMisses } from "../../agents/client/misses.js";
import { readInstalled } from "../../agents/install/installed.js";
import type { EventsAnswer } from "../../hub/protocol.js";
import type { HubClient } from "../hub-client.js";
import type { AttachSetting } from "./attach-setting.js";

/** How an agent stands. */
export interface AgentRow {
  readonly agent: string;
  readonly installed: FoundProgram | undefined;
  /** The version that was tried. */
  readonly tried: string;
  readonly attached: readonly {
    readonly scope: string;
    readonly path: string;
    readonly isStrict: boolean;
    readonly transport: "http" | "client";
  }[];
  /** Milliseconds since 1970. */
  readonly lastEventAt?: number;
  /** Calls that the hub was not asked about. */
  readonly missed: number;
}

interface Sources {
  readonly env: NodeJS.ProcessEnv;
  readonly setting: AttachSetting;
  readonly hub: HubClient | undefined;
}

export async function readAgentRow(program: AgentProgram, { env, setting, hub }: Sources): Promise<AgentRow> {
  const { id } = program.dialect;
  const attached = readInstalled(setting.folder)
    .filter(({ agent }) => agent === id)
    .map(({ scope, path, entries }) => ({ scope, path, ...mannerOf(JSON.stringify(entries)) }));
  const lastEventAt = hub === undefined ? undefined : await readLast(hub, id);
  return {
    agent: id,
    installed: findProgram(program.commands, program.package, env),
    tried: program.tried,
    attached,
    ...(lastEventAt !== undefined && { lastEventAt }),
    missed: readMisses(setting.folder).filter(({ agent }) => agent === id).length,
  };
}

function mannerOf(entries: string): { readonly isStrict: boolean; readonly transport: "http" | "client" } {
  return { isStrict: entries.includes("-strict.sh"), transport: entries.includes("/api/agents/") ? "http" : "client" };
}

async function readLast(hub: HubClient, id: string): Promise<number | undefined> {
  const { events } = await hub.get<EventsAnswer>("/api/events", new URLSearchParams({ source: id, limit: "1" }));
  const [last] = events;
  return last === undefined ? undefined : Date.parse(last.at);
}
