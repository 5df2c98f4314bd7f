import { join } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { attachedAgents } from "../../agents/attach/attached.js";
import type { KnownTools } from "../../agents/tool-note.js";
import type { ToolsAnswer } from "../../hub/protocol.js";
import { connectHub } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

/** The tools of the agents that are attached and, where a hub runs, those that it has seen calls of. Throws where the record of attached agents cannot be read. */
export async function readKnownTools(env: NodeJS.ProcessEnv): Promise<KnownTools> {
  return { attached: attachedAgents(join(stateFolder(env), "attach")), seen: await readSeen(env) };
}

/** Says of rules or hooks that they are for tools that nothing attached has. */
export function sayNotes(rows: readonly { readonly name: string; readonly note?: string }[], { say, paintTalk }: Terminal): void {
  for (const { name, note } of rows) if (note !== undefined) say(`${paintTalk("yellow", "!")} ${inertText(name)}: ${inertText(note)}`);
}

async function readSeen(env: NodeJS.ProcessEnv): Promise<readonly string[] | undefined> {
  try {
    return (await (await connectHub(env)).get<ToolsAnswer>("/api/tools")).seen;
  } catch {
    return undefined;
  }
}
