import { signal } from "@preact/signals";

const ACTS = new Set(["Tab", "j", "k", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);
const ANSWERS = new Set(["y", "n", "e"]);

/**
 * Whether somebody has done something on this page, on purpose, since it was loaded or looked at again: pressed a pointer, gone to a card or to a view.
 * Who only types on while the page comes to the front, or is brought there by another site, has not, and goes on being somebody who types.
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

/** Somebody has gone somewhere on the page, by its keys. */
export function noteAct(): void {
  note(true);
}

function note(is: boolean): void {
  isDeliberate.value = is;
}
