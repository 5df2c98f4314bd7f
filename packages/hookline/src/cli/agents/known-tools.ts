import { join } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { attachedAgents } from "../../agents/attach/attached.js";
import type { KnownTools } from "../../agents/tool-note.js";
import type { ToolsAnswer } from "../../hub/protocol.js";
import { connectHub } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

/** The tools of attached agents and, if a hub runs, the tools whose calls it has seen. Throws if the record of attached agents cannot be read. */
export async function readKnownTools(env: NodeJS.ProcessEnv): Promise<KnownTools> {
  return { attached: attachedAgents(join(stateFolder(env), "attach")), seen: await readSeen(env) };
}

/** Warns of rules or hooks for tools that no attached agent has. */
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
