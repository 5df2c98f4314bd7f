import { didYouMean } from "@hookline/core/internal";
import { type AgentProgram, findAgent, programs } from "../../agents/attach/programs.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";

const agentIds: readonly string[] = programs.map(({ dialect }) => dialect.id);

/** The agent of that name. Throws, with what was meant, for a name that is none. */
export function readAgent(id: string): AgentProgram {
  const found = findAgent(id);
  if (found !== undefined) return found;
  throw new CliError(`There is no agent "${id}".${didYouMean(id, agentIds)} Agents: ${agentIds.join(", ")}.`, {
    exitCode: EXIT.usage,
    next: "hookline agents",
  });
}
