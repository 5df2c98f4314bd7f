import { homedir } from "node:os";
import type { CommandFact } from "./facts.js";
import { START } from "./paths.js";
import { commandsInText, commandsInWords } from "./walk.js";

/** What `commandsOf` needs of an event. */
export interface EventWithPayload {
  readonly payload: unknown;
}

/** Where the paths of facts begin. */
export interface CommandOptions {
  /** The home folder. Default: that of this process. */
  readonly home?: string;
}

interface Cached {
  readonly texts: readonly unknown[];
  readonly dir: string;
  readonly facts: readonly CommandFact[];
}

const cache = new WeakMap<object, Cached>();
const none: readonly CommandFact[] = [];

/**
 * The commands that a tool call runs, one entry per simple command. Empty for a call that runs none. They are computed when they are first asked for.
 *
 * @example
 * bus.on("tool:before", (event) => {
 *   if (commandsOf(event).some(({ deletes, recursive }) => recursive && deletes.some(({ path }) => path === "/"))) return block("Not the root.");
 * });
 */
export function commandsOf(event: EventWithPayload, options: CommandOptions = {}): readonly CommandFact[] {
  const { payload } = event;
  if (typeof payload !== "object" || payload === null) return none;
  const { tool, cwd } = payload as { readonly tool?: unknown; readonly cwd?: unknown };
  if (typeof tool !== "object" || tool === null) return none;
  const { input } = tool as { readonly input?: unknown };
  if (typeof input !== "object" || input === null) return none;
  const { command } = input as { readonly command?: unknown };
  const dir = typeof cwd === "string" && cwd.startsWith("/") ? cwd : START;
  const known = cache.get(payload);
  if (known !== undefined && known.texts[0] === command && known.dir === dir && options.home === undefined) return known.facts;
  const start = { dir: { path: dir }, home: options.home ?? homedir() };
  const facts =
    typeof command === "string"
      ? commandsInText(command, start)
      : Array.isArray(command)
        ? commandsInWords(command.map(String), start)
        : none;
  if (options.home === undefined) cache.set(payload, { texts: [command], dir, facts });
  return facts;
}
