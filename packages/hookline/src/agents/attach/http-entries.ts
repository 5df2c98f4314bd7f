import { findAgent } from "../agents.js";
import { httpKeyOf } from "../client/attach-key.js";
import type { AttachKey } from "../client/key-file.js";
import { applyEdit } from "../install/apply-edit.js";
import { readInstalled } from "../install/installed.js";
import { planEdit } from "../install/plan-edit.js";
import { type Attached, attachedOf } from "./attached.js";
import { wantedFile } from "./plan-attach.js";

/** What an agent that posts by itself has to know. */
export interface HttpSetting {
  /** Where the hub listens; if it does not, what the settings say stays. */
  readonly url?: string;
  readonly key: AttachKey;
}

/** An agent with a key in its settings. */
export interface PostingAgent extends Attached {
  readonly keys: readonly string[];
}

/** Agents that post by themselves. `folder`: `attach` in the state folder. */
export function postingAgents(folder: string): readonly PostingAgent[] {
  const all = readInstalled(folder).map((installed) => ({ ...attachedOf(installed), keys: keysIn(JSON.stringify(installed.entries)) }));
  return all.filter(({ transport }) => transport === "http");
}

/** Whether its key is one that speaks for it alone. Older versions wrote the key of all agents. */
export function hasOwnKey({ agent, keys }: PostingAgent, key: AttachKey): boolean {
  return keys.every((held) => held === httpKeyOf(key, agent));
}

/** Writes the hub's address and the key of now into the settings of all of them. Gives what has to be done by hand. */
export function renewHttp(folder: string, setting: HttpSetting): readonly string[] {
  return attempt(folder, () =>
    postingAgents(folder).flatMap((posting) => attempt(posting.path, () => renewed(folder, posting, setting), posting.agent)),
  );
}

/** To be called when the hub has an address: agents that know another are told. Gives what a person should know. */
export function followHub(folder: string, setting: Required<HttpSetting>): readonly string[] {
  return attempt(folder, () =>
    postingAgents(folder).flatMap((posting) => {
      const { agent, path, url } = posting;
      if (!hasOwnKey(posting, setting.key))
        return [`${path} holds the key of all attached agents, from an older version. Run: hookline attach ${agent}`];
      if (url === setting.url) return [];
      const problems = attempt(path, () => renewed(folder, posting, setting), agent);
      return problems.length > 0 ? problems : [`${agent} posts to the hub by itself: its address was changed in ${path}.`];
    }),
  );
}

/** The keys in a text: of our entries, and of whoever else writes them like that. */
export function keysIn(text: string): readonly string[] {
  return [...text.matchAll(BEARER)].map(([, key = ""]) => key);
}

/** A text to be shown to people. */
export function withoutKeys(text: string): string {
  return text.replace(BEARER, "Bearer <key>");
}

const BEARER = /\bBearer ([\w.~+/-]{8,}=*)/g;

function renewed(folder: string, { agent, scope, path, state, url = "" }: PostingAgent, setting: HttpSetting): string[] {
  const definition = findAgent(agent);
  if (definition === undefined || state === "gone") return [];
  // What a person has changed or taken out is not put back.
  if (state === "changed")
    return [`${path}: our entries are not as we wrote them, and ${agent} is not guarded. Run: hookline attach ${agent}`];
  const http = { url: setting.url ?? url, token: httpKeyOf(setting.key, agent) };
  const wanted = wantedFile(definition, { folder, isStrict: false, http });
  applyEdit(folder, planEdit(folder, { agent, scope, path }, { ...wanted, isPrivate: true }));
  return [];
}

function attempt(path: string, act: () => readonly string[], agent = "<agent>"): readonly string[] {
  try {
    return act();
  } catch (error) {
    return [
      `${path}: the key of an agent that posts by itself could not be renewed, and it is not guarded: ${(error as Error).message} Run: hookline attach ${agent}`,
    ];
  }
}
