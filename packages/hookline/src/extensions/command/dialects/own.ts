import { again, allow, ask, block, type HookEvent, handled, inject, modify, type Outcome, type PlainAnswer, replace } from "@hookline/core";
import { contextOf, foreignVerdict, hasOneOf, joined, newInput, otherWord, reasonOf, refusal, unreadable } from "./answers.js";
import type { CommandAnswer, CommandOutput, Dialect } from "./dialect.js";
import { fieldsOf } from "./event-fields.js";
import { crashed, type JsonObject, readObject, wrongShape } from "./read-document.js";

const KEYS = ["decision", "reason", "endLoop", "payload", "input", "value", "inject", "reminder", "output"];

/** The others say something beside one of these. */
const SAYING = ["decision", "payload", "input", "value", "inject", "reminder"];

/** Hookline's own dialect: `{ decision, reason, payload … }` or nothing on stdout; exit code 2 denies, with the reason on stderr. */
export const own: Dialect = {
  name: "own",

  write(event) {
    const { cwd } = fieldsOf(event);
    const payload = cwd === undefined ? event.payload : { ...event.payload, cwd };
    return {
      v: 1,
      id: event.id,
      at: new Date(event.at).toISOString(),
      event: event.name,
      ...(event.session !== undefined && { session: event.session }),
      payload,
      ...(event.value !== undefined && { value: event.value }),
    };
  },

  speaks: (document) => hasOneOf(document, SAYING),

  read(event, output) {
    if (output.exitCode === 2) return refusal(event, reasonOf(output.stderr) ?? reasonIn(output));
    if (output.exitCode !== 0) throw crashed(output);
    const document = readObject(output.stdout);
    return document === undefined ? undefined : answerIn(document, event);
  },
};

function answerIn(document: JsonObject, event: HookEvent): CommandAnswer {
  const foreign = foreignVerdict(document, KEYS);
  if (foreign !== undefined) return foreign;
  const unknown = Object.keys(document).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw wrongShape(`the key ${JSON.stringify(unknown.slice(0, 40))} (known: ${KEYS.join(", ")})`);
  const verdict = verdictIn(document, event);
  if (verdict !== undefined && !Array.isArray(verdict)) return verdict;
  return joined(verdict, "input" in document ? newInput("input", document.input) : undefined, effectsIn(document));
}

function verdictIn({ decision, reason: given, endLoop, output }: JsonObject, event: HookEvent): CommandAnswer {
  if (endLoop !== undefined && typeof endLoop !== "boolean") throw wrongShape(`an "endLoop" that is neither true nor false`);
  if (endLoop === true && decision !== "deny") return unreadable(`it has "endLoop" without "decision": "deny"`);
  if (output !== undefined && decision !== "handled")
    throw wrongShape(`an "output" without "decision": "handled" (a new value is "value")`);
  if (given !== undefined && given !== null && typeof given !== "string") throw wrongShape(`a "reason" that is not text`);
  const reason = reasonOf(given);
  switch (decision) {
    case undefined:
    case "pass":
      return undefined;
    case "allow":
      return [allow(reason)];
    case "ask":
      return [ask(reason)];
    case "deny":
      return event.name === "finish:before" ? [again(reason)] : [block(reason, endLoop === true ? { endLoop } : {})];
    case "again":
      return [again(reason)];
    case "handled":
      return [handled(output)];
    default:
      return otherWord(decision, event, reason);
  }
}

function effectsIn({ payload, value, inject: texts, reminder }: JsonObject): (Outcome | PlainAnswer)[] {
  const made: (Outcome | PlainAnswer)[] = [];
  if (payload !== undefined) made.push(modify(payload));
  if (value !== undefined) made.push(replace(value));
  for (const text of listOf(texts)) {
    if (typeof text !== "string") throw wrongShape(`an "inject" that is not text`);
    const shown = contextOf(text);
    if (shown !== undefined) made.push(inject(shown));
  }
  // The bus checks reminders: it reports a bad one, and the verdict beside it counts.
  for (const one of listOf(reminder)) made.push({ reminder: one } as PlainAnswer);
  return made;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** A program that denies by its exit code may give the reason on stdout. The rest of its stdout is ignored. */
function reasonIn({ stdout }: CommandOutput): string | undefined {
  try {
    return reasonOf(readObject(stdout)?.reason);
  } catch {
    return undefined;
  }
}
