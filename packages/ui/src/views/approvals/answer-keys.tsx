import { isDeliberate } from "../../state/deliberate.js";
import { say } from "../../state/notices.js";
import { type Shortcut, useShortcuts } from "../../state/shortcuts.js";

interface AnswerKeysProps {
  /** Nothing until all of the call has been seen. */
  readonly onAllow: (() => void) | undefined;
  readonly onMode: (mode: "deny" | "edit") => void;
}

/** The keys of the chosen card: while it is there, they answer. */
export function AnswerKeys({ onAllow, onMode }: AnswerKeysProps) {
  useAnswerKeys({ y: onAllow ?? (() => sayFirst(false)), n: () => onMode("deny"), e: () => onMode("edit") });
  return null;
}

/** The same keys before they count: they answer nothing, and say what has to be done first. */
export function EarlyKeys({ areSeen }: { readonly areSeen: boolean }) {
  useAnswerKeys({ y: () => sayFirst(areSeen), n: () => sayFirst(true), e: () => sayFirst(true) });
  return null;
}

/** What has to be done before a call can be allowed, or before the keys of its card count. */
export function whatFirst(areSeen: boolean, isChosen: boolean): string {
  if (!areSeen) return "Scroll to the end of every part, then you can allow it.";
  return isChosen && !isDeliberate.value ? "To use the keys, click anywhere or press Tab or j first." : "";
}

function sayFirst(areSeen: boolean): void {
  const first = whatFirst(areSeen, true);
  if (first !== "") say(first, { kind: "bad" });
}

function useAnswerKeys({ y, n, e }: { readonly [key in "y" | "n" | "e"]: () => void }): void {
  // A key that is held down was meant for the card before.
  const key = (name: string, label: string, run: () => void): Shortcut => ({
    keys: [name],
    label,
    run: (event) => event.repeat || run(),
  });
  useShortcuts("Approvals", [
    key("y", "Allow the chosen call", y),
    key("n", "Deny it, with a reason", n),
    key("e", "Edit and allow it", e),
  ]);
}
