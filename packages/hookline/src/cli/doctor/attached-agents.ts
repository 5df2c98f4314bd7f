import { quoted } from "@hookline/core/internal/text";
import { findAgent } from "../../agents/agents.js";
import { type Attached, asAttached, projectOf, readAttached } from "../../agents/attach/attached.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import { readAttachSetting } from "../agents/attach-setting.js";
import { type Finding, fail, ok } from "./check.js";
import type { Facts } from "./facts.js";

export interface AttachedAgent {
  readonly attached: Attached;
  readonly definition: AgentDefinition;
}

/** What is wrong with an agent, and the command that fixes it. */
export interface AgentFault {
  readonly detail: string;
  readonly fix: string;
}

export function attachedAgents({ env }: Facts): AttachedAgent[] {
  const { folder } = readAttachSetting(env);
  return readAttached(folder).flatMap((attached) => {
    const definition = findAgent(attached.agent);
    return definition === undefined ? [] : [{ attached, definition: asAttached(folder, definition) }];
  });
}

/** Checks every attached agent and reports all faults. */
export function lookAtEach(facts: Facts, look: (agent: AttachedAgent) => AgentFault | undefined, say = fail): Finding {
  const all = attachedAgents(facts);
  const faults = all.map(look).filter((fault) => fault !== undefined);
  if (faults.length === 0) return ok(all.length === 0 ? "no agent is attached" : all.map(({ attached }) => attached.agent).join(", "));
  return say(faults.map(({ detail }) => detail).join("\n"), [...new Set(faults.map(({ fix }) => fix))].join("; "));
}

/** The command that attached it. */
export function attachCommand({ agent, scope, isStrict, path }: Attached): string {
  if (scope === "managed") return `sudo hookline attach --managed ${agent}`;
  const options = `${isStrict ? " --strict" : ""}${scope === "project" ? " --project" : ""}`;
  const folder = scope === "project" ? `cd ${quoted(projectOf({ agent, path }))} && ` : "";
  return `${folder}hookline attach ${agent}${options}`;
}
