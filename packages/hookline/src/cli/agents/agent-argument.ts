import { didYouMean } from "@hookline/core/internal/text";
import { agents, findAgent } from "../../agents/agents.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";

const agentIds: readonly string[] = agents.map(({ id }) => id);

/** The agent of that name. Throws, with a suggestion, for an unknown name. */
export function readAgent(id: string): AgentDefinition {
  const found = findAgent(id);
  if (found !== undefined) return found;
  throw new CliError(`There is no agent "${id}".${meantBy(id)} Agents: ${agentIds.join(", ")}.`, {
    exitCode: EXIT.usage,
    fix: { run: "hookline agents" },
  });
}

/** `claude` is closer to `cline` than to `claude-code`, which it begins. */
function meantBy(given: string): string {
  const begun = agentIds.filter((id) => given.length > 1 && id.startsWith(given.toLowerCase()));
  return begun.length === 1 ? ` Did you mean "${begun[0]}"?` : didYouMean(given, agentIds);
}

/** For the help of commands that take an agent. */
export function agentNames(): string {
  return `${agentIds.slice(0, -1).join(", ")} or ${agentIds.at(-1)}`;
}

/** An agent for the examples of a command's help. */
export const [EXAMPLE_AGENT = "", OTHER_EXAMPLE_AGENT = ""] = agentIds;
