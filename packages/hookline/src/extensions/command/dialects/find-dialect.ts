import { HookError, type HookEvent, type Outcome } from "@hookline/core";
import { findHiddenVerdict, findRewriteKey, findVerdictKey, isOutcome, readOutcomes } from "@hookline/core/internal";
import type { DialectName } from "../../../config/config.js";
import { allows, strayRewrite, unreadable } from "./answers.js";
import { claudeCode } from "./claude-code.js";
import { codewhale } from "./codewhale.js";
import type { CommandAnswer, CommandOutput, Dialect } from "./dialect.js";
import { harn } from "./harn.js";
import { hermes } from "./hermes.js";
import { own } from "./own.js";
import { isObject } from "./read-document.js";

const dialects: { readonly [N in DialectName]: Dialect } = { own, "claude-code": claudeCode, hermes, codewhale, harn };

export function findDialect(name: DialectName): Dialect {
  return dialects[name];
}

/** A program's answer. A deny counts, whatever its form and however the program ended. */
export function readOutput(dialect: Dialect, event: HookEvent, output: CommandOutput): CommandAnswer {
  try {
    return heardWhole(dialect.read(event, output), event, output);
  } catch (error) {
    const document = documentIn(output.stdout);
    if (!(error instanceof HookError) || document === undefined) throw error;
    const parts = readOutcomes(document);
    const isAttempt = (findVerdictKey(document) ?? findRewriteKey(document)) !== undefined || parts.some(isAnswer);
    if (error.failure === "invalid_verdict" && isAttempt) return unreadable(error.message);
    if (parts.some(saysNo)) return parts as readonly Outcome[];
    throw error;
  }
}

/**
 * The answer, unless the document denies, asks or rewrites the call where the dialect does not look: in another key, in another case,
 * within another object. Otherwise the call would run against the program's answer.
 */
function heardWhole(answer: CommandAnswer, event: HookEvent, { stdout }: CommandOutput): CommandAnswer {
  const isYes = answer === undefined || (Array.isArray(answer) && !answer.some((part) => isOutcome(part) && HEARD.includes(part.kind)));
  const document = isYes && allows(event, "block") ? documentIn(stdout) : undefined;
  if (document === undefined) return answer;
  const hidden = findHiddenVerdict(document);
  if (hidden !== undefined) return unreadable(`it denies or asks under "${hidden}", which is not a verdict in its dialect`);
  return strayWithin(document, event) ?? answer;
}

const HEARD = ["block", "ask", "again", "handled"];

/** A rewrite in an object within the answer. The only dialect with `hookSpecificOutput` has already read that object. */
function strayWithin(document: object, event: HookEvent): CommandAnswer {
  const objects = Object.entries(document).filter(([key]) => key !== "hookSpecificOutput" && findRewriteKey({ [key]: 1 }) === undefined);
  const strays = objects.map(([, value]) => (isObject(value) ? strayRewrite(value, [], event) : undefined));
  return strays.find((stray) => stray !== undefined);
}

type Part = ReturnType<typeof readOutcomes>[number];

function isAnswer(part: Part): boolean {
  return isInvalid(part) || !(part instanceof HookError);
}

function isInvalid(part: Part): boolean {
  return part instanceof HookError && part.failure === "invalid_verdict";
}

function saysNo(part: Part): boolean {
  return isInvalid(part) || (isOutcome(part) && (part.kind === "block" || part.kind === "ask"));
}

function documentIn(stdout: string): object | undefined {
  try {
    const document: unknown = JSON.parse(stdout);
    return typeof document === "object" && document !== null ? document : undefined;
  } catch {
    return undefined;
  }
}
