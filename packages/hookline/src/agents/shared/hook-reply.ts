import type { AgentDecision, HookReply } from "./definition.js";

/** Prints nothing: the agent does what it would have done without a hook. */
export const NOTHING: HookReply = { stdout: "", stderr: "", exitCode: 0 };

/** For a deny without a reason: an agent may take an empty one for a mistake, and run the tool. */
const NO_REASON = "Denied by a Hookline rule that gave no reason.";

export function answer(document: object): HookReply {
  return { stdout: JSON.stringify(document), stderr: "", exitCode: 0 };
}

/** A deny that holds even if stdout is garbled. The document says what the exit code cannot, and is all that an http hook returns. */
export function refusal(reason: string, document?: object): HookReply {
  return { stdout: document === undefined ? "" : JSON.stringify(document), stderr: `${reason}\n`, exitCode: 2 };
}

/** Never blank. */
export function reasonOf({ reason }: AgentDecision): string {
  return isBlank(reason) ? NO_REASON : reason;
}

/** Why the agent must go on; undefined where it may stop. */
export function againReason({ again, reason }: AgentDecision): string | undefined {
  if (again === undefined) return undefined;
  return [again.reason, reason].find((text) => !isBlank(text)) ?? "Not finished yet: go on.";
}

/** What the model is told at an event that cannot be blocked: a deny is told, too. */
export function toldWith(decision: AgentDecision): string | undefined {
  return contextOf([...(decision.verdict === "deny" ? [reasonOf(decision)] : []), ...decision.injections]);
}

/** What the model is to be told, as one text. */
export function contextOf(texts: readonly string[]): string | undefined {
  const said = texts.filter((text) => text.trim() !== "");
  return said.length === 0 ? undefined : said.join("\n\n");
}

/** The document of Claude Code's dialect, which other agents read as well. */
export function specificTo(hookEventName: string, fields: object): object {
  return { hookSpecificOutput: { hookEventName, ...fields } };
}

/** The reason beside a verdict, if there is one. */
export function because({ reason }: AgentDecision): { readonly permissionDecisionReason?: string } {
  return isBlank(reason) ? {} : { permissionDecisionReason: reason };
}

function isBlank(text: string | undefined): text is undefined {
  return text === undefined || text.trim() === "";
}
