import { agents } from "../../agents/agents.js";

const ids: ReadonlySet<string> = new Set(agents.map(({ id }) => id));

/** Whether a source says that it is an agent that can be attached. Those ask through their hooks alone. */
export function isAttachable(name: string): boolean {
  return ids.has(name);
}
