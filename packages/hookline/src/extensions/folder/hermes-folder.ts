import { findEvent, type HookEvent, handled, modify } from "@hookline/core";
import { isOutcome, readOutcomes } from "@hookline/core/internal";
import { allows } from "../command/dialects/answers.js";
import { isObject, type JsonObject } from "../command/dialects/read-document.js";
import { failureModeOf } from "../guards-of.js";
import type { HookSpec, SourceAnswer } from "../handler-source.js";

/** The events for which Hermes' gateway has another name than the catalogue. */
const gatewayNames: { readonly [event: string]: string } = {
  "message:route": "message:pre_route",
  "compact:after": "session:compress",
};

/** The event type that a Hermes handler receives: the name in its folder or, for a pattern, the gateway's name. */
export function hermesEventType({ name }: HookEvent, hook?: HookSpec): string {
  const written = hook?.event.trim();
  if (written !== undefined && findEvent(written)?.name === name) return written;
  return gatewayNames[name] ?? name;
}

/** The events of a Hermes folder on the bus. In Hermes, `session:*` also covers `session:compress`, which has another namespace here. */
export function hermesEvents(events: readonly string[]): readonly string[] {
  return events.includes("session:*") ? [...new Set([...events, "session:compress"])] : events;
}

/**
 * Translates the return value of a Hermes handler. Hermes reads only `decision` and its fields, so everything else (a string, `{ "logged":
 * true }`, an unknown word) means no opinion and is not an error. Outcomes of our own constructors cannot come from Hermes, so they count. What
 * means nothing in Hermes is read as any other answer if the hook is closed; an allow is no more than no opinion.
 */
export function readHermesAnswer(answer: unknown, event: HookEvent, hook?: HookSpec): SourceAnswer {
  const said = saidInHermes(answer, event);
  if (said !== undefined || hook === undefined || failureModeOf(hook) !== "closed" || !allows(event, "block")) return said;
  const parts = readOutcomes(answer).filter((part) => !isOutcome(part) || part.kind !== "allow");
  return parts.length === 0 ? undefined : (parts as unknown as SourceAnswer);
}

function saidInHermes(answer: unknown, event: HookEvent): SourceAnswer {
  if (isOutcome(answer) || (Array.isArray(answer) && answer.length > 0 && answer.every(isOutcome))) return answer as SourceAnswer;
  if (!isObject(answer)) return undefined;
  const word = wordOf(answer.decision).toLowerCase();
  // The only verb that Hermes has there.
  if (event.name === "message:route") return word === "switch_session" ? rerouted(answer, event) : undefined;
  if (word === "deny" && allows(event, "block")) return { decision: "deny", reason: reasonFor(answer, event) };
  if (!event.name.startsWith("command:")) return undefined;
  if (word === "handled") return handled(textOf(answer.message));
  return word === "rewrite" ? rewritten(answer, event) : undefined;
}

function reasonFor({ message, reason }: JsonObject, { name, payload }: HookEvent): string {
  const given = textOf(message) ?? textOf(reason);
  if (given !== undefined) return given;
  if (!name.startsWith("command:")) return `"${name}" was blocked by a hook.`;
  const { raw_command: raw, command } = payload as JsonObject;
  return `Command \`/${bareCommand(textOf(raw) ?? textOf(command) ?? name.slice("command:".length))}\` was blocked by a hook.`;
}

/** Without a command there is nothing to run instead, so Hermes continues as if there were no answer. */
function rewritten({ command_name: command, raw_args: given }: JsonObject, { payload }: HookEvent): SourceAnswer {
  const [name, args] = [bareCommand(wordOf(command)), wordOf(given)];
  return name === "" ? undefined : modify({ ...payload, command: name, raw_command: name, args, raw_args: args });
}

function rerouted({ session_id: given }: JsonObject, { payload, session }: HookEvent): SourceAnswer {
  const id = wordOf(given);
  const current = (payload as JsonObject).session_id ?? payload.session?.id ?? session?.id;
  return id === "" || id === current ? undefined : modify({ ...payload, session_id: id, session: { id } });
}

/** Like Python's `str(…).strip()`. Undefined for a missing value. */
function wordOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value).trim();
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function bareCommand(command: string): string {
  return command.replace(/^\/+/, "");
}
