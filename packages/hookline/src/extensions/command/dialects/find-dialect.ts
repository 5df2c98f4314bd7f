import { ask, HookError, type HookEvent, type Outcome, type PlainAnswer } from "@hookline/core";
import { findDoubt, findHiddenVerdict, findRewriteKey, findVerdictKey, isOutcome, readOutcomes } from "@hookline/core/internal";
import type { DialectName } from "../../../config/config.js";
import { allows, strayRewrite, unreadable } from "./answers.js";
import { claudeCode } from "./claude-code.js";
import { codewhale } from "./codewhale.js";
import type { CommandAnswer, CommandOutput, Dialect } from "./dialect.js";
import { harn } from "./harn.js";
import { hermes } from "./hermes.js";
import { own } from "./own.js";
import { isObject } from "./read-document.js";
import { findRepeatedKey } from "./repeated-keys.js";

const dialects: { readonly [N in DialectName]: Dialect } = { own, "claude-code": claudeCode, hermes, codewhale, harn };

export function findDialect(name: DialectName): Dialect {
  return dialects[name];
}

/**
 * A program's answer. A deny counts, whatever its form and however the program ended. `isClosed`: it is a guard that denies when it fails, so an
 * answer that says nothing in its dialect is a failure.
 */
export function readOutput(dialect: Dialect, event: HookEvent, output: CommandOutput, isClosed = false): CommandAnswer {
  try {
    const answer = heardWhole(dialect.read(event, output), event, output);
    if (isClosed && answer === undefined) checkSpeaks(dialect, event, output);
    return answer;
  } catch (error) {
    const document = jsonIn(output.stdout);
    if (!(error instanceof HookError) || document === undefined) throw error;
    const parts = readOutcomes(document);
    const isAttempt = (isObject(document) && (findVerdictKey(document) ?? findRewriteKey(document)) !== undefined) || parts.some(isAnswer);
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
  const said = Array.isArray(answer) ? answer.map((part) => (isOutcome(part) ? part.kind : "args")) : [];
  const document = !said.includes("block") && allows(event, "block") ? documentIn(stdout) : undefined;
  if (document === undefined) return answer;
  const repeated = findRepeatedKey(stdout);
  if (repeated !== undefined) return unreadable(`it has the key "${repeated}" twice, with different values`);
  // An object is read by the bus, whole.
  if (said.some((kind) => HEARD.includes(kind)) || (answer !== undefined && !Array.isArray(answer))) return answer;
  const hidden = findHiddenVerdict(document);
  if (hidden !== undefined) return unreadable(`it denies or asks under "${hidden}", which is not a verdict in its dialect`);
  return strayWithin(document, event) ?? inDoubt(answer, document, event);
}

/** The answer; a question in place of its yes, if the document has a remark that speaks against it. */
function inDoubt(answer: CommandAnswer, document: object, event: HookEvent): CommandAnswer {
  const doubt = findDoubt(document, answer !== undefined);
  if (doubt === undefined) return answer;
  const rest = Array.isArray(answer) ? answer.filter((part) => !isOutcome(part) || part.kind !== "allow") : [];
  const question = allows(event, "ask") ? ask(doubt) : (new HookError("HL_OUTCOME_NOT_ALLOWED", doubt) as unknown as PlainAnswer);
  return [question, ...rest];
}

/** An empty object says, in every dialect, that there is nothing to say. */
function checkSpeaks(dialect: Dialect, event: HookEvent, { stdout }: CommandOutput): void {
  const document = documentIn(stdout);
  if (!isObject(document) || Object.keys(document).length === 0 || dialect.speaks(document)) return;
  if (!["block", "replace", "again"].some((kind) => allows(event, kind as "block"))) return;
  const keys = Object.keys(document).slice(0, 5).join(", ");
  throw new HookError("HL_COMMAND_OUTPUT", `Its answer has the keys ${keys.slice(0, 200)}, and none says anything in its dialect.`, {
    fix: "Print nothing or {} to have no opinion.",
    failure: "invalid_verdict",
  });
}

const HEARD = ["ask", "again", "handled"];

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
  const document = jsonIn(stdout);
  return typeof document === "object" && document !== null ? document : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
