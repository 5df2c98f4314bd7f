import { useEffect } from "preact/hooks";
import { hasShortcuts } from "./settings.js";

export interface Shortcut {
  readonly keys: readonly string[];
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
  /** Works even while single-letter shortcuts are off. */
  readonly isAlways?: true;
}

interface Group {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

const groups: Group[] = [];

/** What can be pressed at the moment, for the list behind `?`. */
export function shortcutGroups(): readonly Group[] {
  return groups;
}

/** While the component is there, its keys work: the latest come first. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const group = { title, shortcuts };
    groups.push(group);
    return () => void groups.splice(groups.indexOf(group), 1);
  });
}

let pressed = "";

export function handleKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  // What stands behind an open dialog is not meant.
  if (event.key !== "?" && document.querySelector("dialog[open]") !== null) return;
  const isTyping = isEditable(event.target);
  if (isTyping && event.key !== "Escape") return;
  // Keys pressed on a button are for the button.
  if (/^(Enter| )$/.test(event.key) && event.target instanceof Element && event.target.closest("button, a, summary") !== null) return;
  const chord = pressed === "g" ? `g ${event.key}` : event.key;
  pressed = pressed === "g" ? "" : event.key;
  const found = [...groups]
    .reverse()
    .flatMap(({ shortcuts }) => shortcuts)
    .find(({ keys, isAlways }) => keys.includes(chord) && (isAlways === true || hasShortcuts.value === "on"));
  if (found === undefined) return;
  event.preventDefault();
  found.run(event);
}

function isEditable(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|file)$/.test(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName));
}
