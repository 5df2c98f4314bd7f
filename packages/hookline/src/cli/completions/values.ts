import { catalog } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { agents } from "../../agents/agents.js";
import type { ApprovalsAnswer, HandlersAnswer, SessionsAnswer } from "../../hub/protocol.js";
import { languages } from "../hooks/handler-templates.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { scripts } from "./scripts.js";

/** What an argument or option of this name can be. */
const known: { readonly [name: string]: () => readonly string[] } = {
  agent: () => agents.map(({ id }) => id),
  agents: () => agents.map(({ id }) => id),
  event: () => Object.keys(catalog),
  language: () => languages,
  shell: () => Object.keys(scripts),
};

/** What only a hub knows. */
const asked: { readonly [name: string]: (hub: HubClient) => Promise<readonly string[]> } = {
  session: async (hub) => (await hub.get<SessionsAnswer>("/api/sessions")).sessions.map(({ id }) => id),
  id: async (hub) => (await hub.get<ApprovalsAnswer>("/api/approvals")).approvals.map(({ id }) => id),
  rule: async (hub) => (await hub.get<HandlersAnswer>("/api/handlers")).rules.map(({ name }) => name),
  hook: async (hub) => (await hub.get<HandlersAnswer>("/api/handlers")).hooks.map(({ name }) => name),
};

/** Without a hub, what only the hub knows is left out: a shell would print an error into the command line. */
export async function valuesOf(name: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const read = asked[name];
  if (read === undefined) return known[name]?.() ?? [];
  try {
    // Agents choose the ids of sessions. A shell puts a word into the command line as it is, so one that a shell would not take as it is is left out.
    return (await read(await connectHub(env))).filter((word) => shellWord(word) === word);
  } catch {
    return [];
  }
}
