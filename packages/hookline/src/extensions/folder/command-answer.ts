import { type HookEvent, handled, modify } from "@hookline/core";
import type { SourceAnswer } from "../handler-source.js";

interface CommandAnswer {
  readonly decision?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly command_name?: unknown;
  readonly raw_args?: unknown;
}

/**
 * Translates the answer of a Hermes hook folder to a slash command: `allow` means to continue, `deny` and `handled` carry a `message`, and
 * `rewrite` names another command.
 */
export function readCommandAnswer(answer: SourceAnswer, event: HookEvent): SourceAnswer {
  if (!event.name.startsWith("command:") || typeof answer !== "object" || answer === null) return answer;
  const given = answer as CommandAnswer;
  const word = String(given.decision ?? "")
    .trim()
    .toLowerCase();
  // A new command without `rewrite` must not be ignored: the original command would run.
  if (word === "rewrite" || ((word === "allow" || word === "") && (given.command_name ?? given.raw_args) !== undefined))
    return modify(word === "rewrite" ? rewritten(given, event.payload as object) : undefined);
  if (!("decision" in answer)) return answer;
  if (word === "allow" || word === "") return undefined;
  if (word === "handled") return handled(given.message);
  if (word !== "deny" || typeof given.message !== "string") return answer;
  return { decision: "deny", reason: typeof given.reason === "string" ? given.reason : given.message };
}

/** Undefined if it names no command, which denies. */
function rewritten({ command_name: command, raw_args: args = "" }: CommandAnswer, payload: object): object | undefined {
  const name = typeof command === "string" ? command.replace(/^\//, "") : "";
  if (name === "" || typeof args !== "string") return undefined;
  return { ...payload, command: name, raw_command: name, args, raw_args: args };
}
