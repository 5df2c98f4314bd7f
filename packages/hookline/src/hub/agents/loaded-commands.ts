import { ask, type Bus, createBus, type Decision } from "@hookline/core";
import type { AgentDialect, Translated } from "../../agents/shared/definition.js";
import { HUB_APP } from "../ingest/own-source.js";

/** Asks a person about commands that an agent runs while it loads something: its hooks report none of them, so no rule sees them. */
export interface LoadedCommands {
  /** The event with the commands under `loads`, where there are any. A project's are also told at the start of a session. */
  find(dialect: AgentDialect, event: Translated): Translated;
  /** The decision after a person was asked about the commands of a call. */
  decide(decision: Decision, event: Translated, options: NonNullable<Parameters<Bus["decide"]>[2]>): Promise<Decision>;
}

interface LoadedCommandsOptions {
  readonly askTimeoutMs?: number | undefined;
  /** Tells people, for the record. */
  readonly note: (message: string) => void;
}

const MAX_NOTED = 256;

export function createLoadedCommands({ askTimeoutMs, note }: LoadedCommandsOptions): LoadedCommands {
  const bus = createBus({ source: HUB_APP, enabled: true, onAsk: "return", ...(askTimeoutMs !== undefined && { askTimeoutMs }) });
  bus.on("tool:before", ({ payload }) => ask(questionAbout(loadsOf(payload))), { name: "loaded-commands" });
  const noted = new Set<string>();

  return {
    find({ title, loads }, event) {
      const found = loads?.(event) ?? [];
      if (found.length === 0) return event;
      if (event.event === "session:start" && noted.size < MAX_NOTED && !noted.has(found.join("\n"))) {
        noted.add(found.join("\n"));
        note(`${title} has skills or commands in this project that run commands without asking its hooks: ${found.join("; ")}`);
      }
      return { ...event, payload: { ...event.payload, loads: found } };
    },
    async decide(decision, { event, payload }, options) {
      if (event !== "tool:before" || loadsOf(payload).length === 0 || !decision.allowed) return decision;
      const asked = await bus.decide("tool:before", decision.payload as Parameters<typeof bus.decide<"tool:before">>[1], options);
      const { injections, reminders, endLoop, modified } = decision;
      return {
        ...asked,
        payload: asked.payload,
        modified: modified || asked.modified,
        endLoop: endLoop || asked.endLoop,
        injections,
        reminders,
        trail: [...decision.trail, ...asked.trail],
      };
    },
  };
}

function loadsOf(payload: unknown): readonly string[] {
  const { loads } = Object(payload) as { readonly loads?: unknown };
  return Array.isArray(loads) ? loads.map(String) : [];
}

function questionAbout(commands: readonly string[]): string {
  return `This runs commands when it is loaded, and no rule sees them: ${commands.join("; ")}`;
}
