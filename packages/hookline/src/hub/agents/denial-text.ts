import type { Decision } from "@hookline/core";

/** Of an id, what `hookline show` finds it by. */
const SHOWN_ID = 12;

/** What an agent shows its user, and its model reads, when a call is denied: who said no, why, and where the whole decision is. */
export function denialText({ actor, by, reason, cause }: Decision, id: string, command: string): string {
  const why = sentence(reason ?? "It gave no reason.");
  const more = `Details: ${command} show ${id.slice(0, SHOWN_ID)}`;
  const name = actor?.name ?? by ?? "a guard";
  if (cause !== undefined) return `Hookline denied this: ${why} ${more}`;
  if (actor?.kind === "person") return `Hookline asked ${name}, who said no: ${why} ${more}`;
  return `Hookline denied this (${actor?.kind ?? "guard"} ${name}): ${why} ${more}`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…:]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
