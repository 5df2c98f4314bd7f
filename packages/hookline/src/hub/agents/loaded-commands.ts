import { ask, type Bus, createBus, type Decision } from "@hookline/core";
import type { AgentDialect, Translated } from "../../agents/shared/definition.js";
import { HUB_APP } from "../ingest/own-source.js";

/** Asks a person about commands that an agent runs while it loads something: its hooks report none of them, so no rule sees them. */
export interface LoadedCommands {
  /** The event with the commands under `loads` where there are any, and with `loadsUnknown` where not all of them are known. A project's are also told at the start of a session. */
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
  bus.on("tool:before", ({ payload }) => ask(questionAbout(payload)), { name: "loaded-commands" });
  const noted = new Set<string>();

  return {
    find({ title, loads }, event) {
      const { commands, unknown } = loads?.(event) ?? { commands: [] };
      if (commands.length === 0 && unknown === undefined) return event;
      const texts = [...commands, ...(unknown === undefined ? [] : [`Hookline could not check all of them. ${unknown}`])];
      if (event.event === "session:start" && noted.size < MAX_NOTED && !noted.has(texts.join("\n"))) {
        noted.add(texts.join("\n"));
        const verb = commands.length === 0 ? "may have" : "has";
        note(`${title} ${verb} skills or commands in this project that run commands without asking its hooks: ${texts.join("; ")}`);
      }
      return { ...event, payload: { ...event.payload, loads: commands, ...(unknown !== undefined && { loadsUnknown: unknown }) } };
    },
    async decide(decision, { event, payload }, options) {
      if (event !== "tool:before" || questionAbout(payload) === "" || !decision.allowed) return decision;
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

/** Empty if the call loads nothing that runs a command. */
function questionAbout(payload: unknown): string {
  const { loads, loadsUnknown } = Object(payload) as { readonly loads?: unknown; readonly loadsUnknown?: unknown };
  const commands = Array.isArray(loads) ? loads.map(String) : [];
  return [
    ...(commands.length === 0 ? [] : [`This runs commands when it is loaded, and no rule sees them: ${commands.join("; ")}`]),
    ...(loadsUnknown === undefined
      ? []
      : [`This may run commands when it is loaded, and Hookline could not check them all. ${loadsUnknown}`]),
  ].join("\n");
}
