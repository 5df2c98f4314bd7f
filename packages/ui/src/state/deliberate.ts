import { signal } from "@preact/signals";

const ACTS = new Set(["Tab", "j", "k", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);
const ANSWERS = new Set(["y", "n", "e"]);

/**
 * Whether the user has acted deliberately since the dashboard was loaded or came to the front: clicked, or moved to a card or view.
 * Keys that were meant for another window, which the user keeps typing while the dashboard comes to the front, do not count.
 */
export const isDeliberate = signal(false);

export function followDeliberation(): void {
  const forget = (): void => {
    isDeliberate.value = false;
  };
  window.addEventListener("blur", forget);
  document.addEventListener("visibilitychange", () => document.hidden && forget());
  document.addEventListener("pointerdown", ({ isTrusted }) => isTrusted && note(true), true);
  document.addEventListener("keydown", (event) => event.isTrusted && noteKey(event), true);
}

function noteKey({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): void {
  if (ctrlKey || metaKey || altKey) return;
  const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (ACTS.has(key)) note(!isText || isDeliberate.peek());
  else if (key.length === 1 && !isText && !ANSWERS.has(key) && !/[ ?]/.test(key)) note(false);
}

/** The user has moved within the dashboard by its keys. */
export function noteAct(): void {
  note(true);
}

function note(is: boolean): void {
  isDeliberate.value = is;
}
