import { attachedAgents } from "../../agents/attach/attached.js";
import type { KnownTools } from "../../agents/tool-note.js";
import type { Store } from "../store/store.js";

/** The tools of the agents that are attached now, and those that the hub has seen calls of. Rejects where the record of attached agents cannot be read. */
export async function readKnownTools(folder: string, store: Pick<Store, "tools">): Promise<KnownTools> {
  return { attached: attachedAgents(folder), seen: await store.tools() };
}
