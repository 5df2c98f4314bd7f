import { httpKeyOf } from "../client/attach-key.js";
import type { AttachKey } from "../client/key-file.js";
import { applyEdit } from "../install/apply-edit.js";
import { findInstalled, readInstalled } from "../install/installed.js";
import { planEdit } from "../install/plan-edit.js";
import { type Attached, attachedOf } from "./attached.js";

/** What an agent that posts to the hub itself needs to know. */
export interface HttpSetting {
  /** The address of the hub. Without one, the settings keep their address. */
  readonly url?: string;
  readonly key: AttachKey;
}

/** An agent with a key in its settings. */
export interface PostingAgent extends Attached {
  readonly keys: readonly string[];
}

/** Agents that post to the hub themselves. `folder`: `attach` in the state folder. */
export function postingAgents(folder: string): readonly PostingAgent[] {
  const all = readInstalled(folder).map((installed) => ({ ...attachedOf(installed), keys: keysIn(JSON.stringify(installed.entries)) }));
  return all.filter(({ transport }) => transport === "http");
}

/** Whether the key is valid for this agent alone. Older versions wrote one key for all agents. */
export function hasOwnKey({ agent, keys }: PostingAgent, key: AttachKey): boolean {
  return keys.every((held) => held === httpKeyOf(key, agent));
}

/** Writes the hub's address and the current key into the settings of all of them. Returns what the user has to do by hand. */
export function renewHttp(folder: string, setting: HttpSetting): readonly string[] {
  return attempt(folder, () =>
    postingAgents(folder).flatMap((posting) => attempt(posting.path, () => renewed(folder, posting, setting), posting.agent)),
  );
}

/** Call this when the hub has an address: it updates agents that have an older one. Returns notes for the user. */
export function followHub(folder: string, setting: Required<HttpSetting>): readonly string[] {
  return attempt(folder, () =>
    postingAgents(folder).flatMap((posting) => {
      const { agent, path, url } = posting;
      if (!hasOwnKey(posting, setting.key))
        return [`${path} holds the key of all attached agents, from an older version. Run: hookline attach ${agent}`];
      if (url === setting.url) return [];
      const problems = attempt(path, () => renewed(folder, posting, setting), agent);
      return problems.length > 0 ? problems : [`${agent} posts to the hub directly: its address was changed in ${path}.`];
    }),
  );
}

/** The keys in a text: those of our entries, and any others written in the same form. */
export function keysIn(text: string): readonly string[] {
  return [...text.matchAll(BEARER)].map(([, key = ""]) => key);
}

/** The text with its keys hidden, for display. */
export function withoutKeys(text: string): string {
  return text.replace(BEARER, "Bearer <key>");
}

const BEARER = /\bBearer ([\w.~+/-]{8,}=*)/g;

function renewed(folder: string, { agent, scope, path, state, url = "", keys }: PostingAgent, setting: HttpSetting): string[] {
  const known = findInstalled(folder, path);
  if (known === undefined || state === "gone") return [];
  // Entries that the user changed or removed are not restored.
  if (state === "changed")
    return [`${path}: our entries are not as we wrote them, and ${agent} is not guarded. Run: hookline attach ${agent}`];
  const text = keys.reduce(
    (rest, key) => rest.replaceAll(`Bearer ${key}`, `Bearer ${httpKeyOf(setting.key, agent)}`),
    JSON.stringify(known.entries).replaceAll(`${url}/api/agents/`, `${setting.url ?? url}/api/agents/`),
  );
  const { marks, syntax, own } = known;
  const wanted = { entries: JSON.parse(text) as typeof known.entries, marks, syntax, ...(own !== null && { own }) };
  applyEdit(folder, planEdit(folder, { agent, scope, path }, { ...wanted, isPrivate: true }));
  return [];
}

function attempt(path: string, act: () => readonly string[], agent = "<agent>"): readonly string[] {
  try {
    return act();
  } catch (error) {
    return [
      `${path}: the key of an agent that posts to the hub directly could not be renewed, so the agent is not guarded: ${(error as Error).message} Run: hookline attach ${agent}`,
    ];
  }
}
