import type { AgentDecision, HookReply } from "./definition.js";

/** Says nothing: the agent does what it would have done. */
export const NOTHING: HookReply = { stdout: "", stderr: "", exitCode: 0 };

/** What is said when a rule gives no reason. Codex takes a deny without one for a mistake, and runs the tool. */
const NO_REASON = "Denied by a Hookline rule that gave no reason.";

export function answer(document: object): HookReply {
  return { stdout: JSON.stringify(document), stderr: "", exitCode: 0 };
}

/** A no that holds whatever becomes of stdout, with a document for what the exit code cannot say and for http. */
export function refusal(reason: string, document?: object): HookReply {
  return { stdout: document === undefined ? "" : JSON.stringify(document), stderr: `${reason}\n`, exitCode: 2 };
}

/** Never blank. */
export function reasonOf({ reason }: AgentDecision, instead = NO_REASON): string {
  return reason === undefined || reason.trim() === "" ? instead : reason;
}

/** What the model is to be told, as one text. */
export function contextOf(texts: readonly string[]): string | undefined {
  const said = texts.filter((text) => text.trim() !== "");
  return said.length === 0 ? undefined : said.join("\n\n");
}
