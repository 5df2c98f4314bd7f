import type { AgentDecision, HookReply } from "./definition.js";

/** Prints nothing: the agent does what it would have done without a hook. */
export const NOTHING: HookReply = { stdout: "", stderr: "", exitCode: 0 };

/** For a deny without a reason: an agent may treat an empty reason as a mistake and run the tool. */
const NO_REASON = "Denied by a Hookline rule that gave no reason.";

export function answer(document: object): HookReply {
  return { stdout: JSON.stringify(document), stderr: "", exitCode: 0 };
}

/** A deny that works even if stdout is garbled. The document carries what the exit code cannot, and an http hook returns only the document. */
export function refusal(reason: string, document?: object): HookReply {
  return { stdout: document === undefined ? "" : JSON.stringify(document), stderr: `${reason}\n`, exitCode: 2 };
}

/** Never blank. */
export function reasonOf({ reason }: AgentDecision): string {
  return isBlank(reason) ? NO_REASON : reason;
}

/** Why the agent must continue. Undefined if it may stop. */
export function againReason({ again, reason }: AgentDecision): string | undefined {
  if (again === undefined) return undefined;
  return [again.reason, reason].find((text) => !isBlank(text)) ?? "Not finished yet: continue.";
}

/** The text for the model at an event that cannot be blocked. It includes the reason of a deny. */
export function toldWith(decision: AgentDecision): string | undefined {
  return contextOf([...(decision.verdict === "deny" ? [reasonOf(decision)] : []), ...decision.injections]);
}

/** The injected text for the model. */
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
