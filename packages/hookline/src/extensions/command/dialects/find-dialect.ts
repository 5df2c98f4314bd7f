import { findRewriteKey, findVerdictKey, HookError, type HookEvent, isOutcome, type Outcome, readOutcomes } from "@hookline/core";
import type { DialectName } from "../../../config/dialects.js";
import { unreadable } from "./answers.js";
import { claudeCode } from "./claude-code.js";
import { codewhale } from "./codewhale.js";
import type { CommandAnswer, CommandOutput, Dialect } from "./dialect.js";
import { harn } from "./harn.js";
import { hermes } from "./hermes.js";
import { own } from "./own.js";

const dialects: { readonly [N in DialectName]: Dialect } = { own, "claude-code": claudeCode, hermes, codewhale, harn };

export function findDialect(name: DialectName): Dialect {
  return dialects[name];
}

/** What a program has answered. A no that it has said counts, however it is written and however the program ended. */
export function readOutput(dialect: Dialect, event: HookEvent, output: CommandOutput): CommandAnswer {
  try {
    return dialect.read(event, output);
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
