import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "@hookline/core/internal/text";
import { type Hub, startHub } from "hookline/hub";
import { onTestFinished } from "vitest";
import { agents } from "../../packages/hookline/src/agents/agents.ts";
import { clientScript, putClient } from "../../packages/hookline/src/agents/attach/client-script.ts";
import { attachFolder } from "../../packages/hookline/src/agents/client/attach-key.ts";
import { readMisses } from "../../packages/hookline/src/agents/client/misses.ts";
import type { AgentDefinition } from "../../packages/hookline/src/agents/shared/definition.ts";
import type { EventsAnswer, PlacedEvent } from "../../packages/hookline/src/hub/protocol.ts";
import { type Played, playClient, playPlugin } from "./agent-client.ts";
import type { CliHome } from "./cli-home.ts";
import { putFiles } from "./hook-files.ts";
import { until } from "./http-hub.ts";
import { testFolder } from "./test-folder.ts";

/** An agent that is attached to a hub, both real. */
export interface AttachedAgent {
  readonly state: string;
  readonly hub: Hub;
  /** Runs the client of an agent, or its plugin, as the agent does. */
  play(native: string, input: string | Buffer): Promise<Played>;
  stored(event: string, count: number): Promise<PlacedEvent[]>;
  misses(): readonly unknown[];
}

/** What the hub is set up with: the text of `hookline.toml`, and files beside it. */
interface HubSetup {
  readonly toml?: string;
  readonly files?: { readonly [path: string]: string };
}

/** Starts a hub in this process, and writes the client that the agent runs. */
export async function attachedAgent(
  definition: AgentDefinition,
  isStrict: boolean,
  { toml = "", files = {} }: HubSetup = {},
): Promise<AttachedAgent> {
  const home = putFiles(testFolder(), files);
  for (const name of ["state", "run"]) mkdirSync(join(home, name), { mode: 0o700 });
  const [state, runtime] = [join(home, "state"), join(home, "run")];
  writeFileSync(join(home, "hookline.toml"), toml);
  const hub = await startHub({ state, runtime, config: join(home, "hookline.toml"), port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const folder = attachFolder(state);
  const client = clientScript({ agent: definition, isStrict, env: process.env, folder, socket: join(runtime, "http.sock") });
  putClient(folder, client);
  const plugin = join(home, "plugin.mjs");
  if (client.plugin !== undefined) writeFileSync(plugin, client.plugin);
  return {
    hub,
    state,
    play: (event, input) => (client.plugin === undefined ? playClient(client, { event, input }) : playPlugin(plugin, event, input)),
    async stored(event, count) {
      const headers = { authorization: `Bearer ${hub.parts.tokens.operator}` };
      let events: readonly PlacedEvent[] = [];
      await until(async () => {
        const answer = await fetch(`${hub.file.url}/api/events?limit=500&event=${event}`, { headers });
        events = ((await answer.json()) as EventsAnswer).events;
        return events.length >= count;
      });
      return [...events];
    },
    misses: () => readMisses(folder),
  };
}

/** A call of Claude Code's shell, by the client that it runs, to the hub of a home. */
export function askAttached(
  { folder: home, state }: CliHome,
  { command, isStrict = false, env = {} }: { readonly command: string; readonly isStrict?: boolean; readonly env?: NodeJS.ProcessEnv },
): Promise<Played> {
  const folder = attachFolder(state);
  const socket = join(home, "run/hookline/http.sock");
  const client = clientScript({ agent: agents[0] as AgentDefinition, isStrict, env: process.env, folder, socket });
  putClient(folder, client);
  const input = { session_id: "s", cwd: "/srv", tool_use_id: `t-${command}`, tool_name: "Bash", tool_input: { command } };
  return playClient(client, { event: "PreToolUse", input: JSON.stringify(input), env, wrapped: inItsOwnProcess });
}

/** `timeout` stands for the agent. Otherwise this test's process would be the agent, and the hub would let nothing that it starts operate. */
export function inItsOwnProcess(command: string): string {
  // Not as an argument: a command that names the client is a part of the hook, and not the agent.
  return `HOOK=${quoted(command)} timeout --foreground 600 /bin/sh -c 'eval "$HOOK"'`;
}
