import { type HookEvent, type PlainAnswer, replace } from "@hookline/core";
import { spellingsOf } from "@hookline/core/internal";
import { allows, foreignVerdict, reasonOf, refusal } from "./answers.js";
import type { CommandAnswer, Dialect } from "./dialect.js";
import { fieldsOf } from "./event-fields.js";
import { crashed, isObject, readDocument, wrongShape } from "./read-document.js";

const KEYS = ["decision", "block", "deny"];
const SHAPE_KEYS = [...KEYS, "reason", "modify", "args", "result", "inject", "reminder", "then", "effects"];

/** harn's dialect: `{ deny }`, `{ args }`, `{ result }`, `{ reminder, then }`, `{ effects }`, true, false or nothing. */
export const harn: Dialect = {
  name: "harn",

  write(event) {
    const { session, cwd, tool, output } = fieldsOf(event);
    const { raw: _raw, ...payload } = event.payload;
    return {
      ...payload,
      event: nameOf(event),
      session: { ...payload.session, id: session },
      ...(cwd !== undefined && { cwd }),
      ...(tool !== undefined && { tool: { ...tool, args: tool.input } }),
      ...(output !== undefined && { result: { text: typeof output === "string" ? output : (JSON.stringify(output) ?? "") } }),
    };
  },

  speaks: (document) => Object.keys(document).some((key) => key !== "reason"),

  read(event, output) {
    if (output.exitCode === 2) return refusal(event, reasonOf(output.stderr));
    if (output.exitCode !== 0) throw crashed(output);
    return answerOf(readDocument(output.stdout), event);
  },
};

function answerOf(document: unknown, event: HookEvent): CommandAnswer {
  if (document === undefined || document === null || document === true) return undefined;
  if (document === false) return refusal(event, undefined);
  if (typeof document === "string" && allows(event, "replace")) return [replace(document)];
  if (!isObject(document)) throw wrongShape(Array.isArray(document) ? "a list" : `a ${typeof document}`);
  const foreign = foreignVerdict(document, SHAPE_KEYS);
  if (foreign !== undefined) return foreign;
  const unknown = Object.keys(document).find((key) => !SHAPE_KEYS.includes(key));
  if (unknown !== undefined) throw wrongShape(`the key ${JSON.stringify(unknown.slice(0, 40))}`);
  // The bus reads these shapes itself, nested as deep as it allows.
  return Object.keys(document).length === 0 ? undefined : (inOurKeys(document) as unknown as PlainAnswer);
}

/** The answer with the keys of its reminders in the bus's spelling, also in `then` and `effects`. */
function inOurKeys(answer: unknown): unknown {
  if (!isObject(answer)) return answer;
  const { reminder, then, effects } = answer;
  return {
    ...answer,
    ...(reminder !== undefined && { reminder: reminderOf(reminder) }),
    ...(then !== undefined && { then: inOurKeys(then) }),
    ...(Array.isArray(effects) && { effects: effects.map(inOurKeys) }),
  };
}

/** A key that occurs in both spellings stays, and the bus refuses the reminder for it. */
function reminderOf(reminder: unknown): unknown {
  if (!isObject(reminder)) return reminder;
  const keys = Object.entries(reminder).map(([key, value]): [string, unknown] => {
    const ours = Object.hasOwn(reminderKeys, key) ? reminderKeys[key] : undefined;
    return [ours === undefined || Object.hasOwn(reminder, ours) ? key : ours, value];
  });
  return Object.fromEntries(keys);
}

const reminderKeys: { readonly [key: string]: string } = {
  dedupe_key: "dedupeKey",
  ttl_turns: "ttlTurns",
  preserve_on_compact: "preserveOnCompact",
  role_hint: "roleHint",
  audit_only: "auditOnly",
};

/** harn writes its events as words in PascalCase. */
function nameOf({ name }: HookEvent): string {
  return spellingsOf(name).find((spelling) => /^[A-Z]/.test(spelling)) ?? name;
}
