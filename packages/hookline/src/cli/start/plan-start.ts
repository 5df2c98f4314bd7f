import { agents } from "../../agents/agents.js";
import { readAttached } from "../../agents/attach/attached.js";
import { findProgram } from "../../agents/attach/find-program.js";
import type { GuardLevel } from "../../agents/shared/contract.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import { readAttachSetting } from "../agents/attach-setting.js";
import { guardLevel } from "../agents/contract-text.js";

/** An agent on this machine. */
export interface FoundAgent {
  readonly agent: AgentDefinition;
  /** The file that attaching changes. */
  readonly path: string;
  readonly isAttached: boolean;
  /** Its version, and how far its calls can be guarded. Missing if only the program itself knows, which may write files when it is asked. */
  readonly known?: { readonly version: string; readonly level: GuardLevel };
}

/** The agents on this machine, and the best level that each allows. Changes nothing. */
export function findAgents(env: NodeJS.ProcessEnv): readonly FoundAgent[] {
  const { folder, cwd } = readAttachSetting(env);
  const attached = readAttached(folder).filter(({ state, scope }) => state !== "gone" && scope === "user");
  return agents.flatMap((agent) => {
    const program = findProgram(agent.program, env);
    if (program === undefined) return [];
    const isAttached = attached.some((one) => one.agent === agent.id);
    return [
      {
        agent,
        path: agent.install.settingsPath("user", env, cwd),
        isAttached,
        ...(agent.program.hasOwnVersions !== true && {
          known: { version: program.version ?? "", level: guardLevel(agent, program.version) },
        }),
      },
    ];
  });
}
