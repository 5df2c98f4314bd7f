import { effect, type Signal, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

/** What this browser remembers between visits. */
export const theme = kept<Theme>("theme", "system");
/** Newest first, or as a terminal shows it. */
export const order = kept<"newest" | "tail">("order", "newest");
/** In Live: one row for each call, or every event. */
export const rowsOfLive = kept<"calls" | "all">("rows", "calls");
/** Letters without Ctrl can get in the way of a screen reader or of dictation: they can be switched off. */
export const hasShortcuts = kept<"on" | "off">("shortcuts", "on");
export const wantsNotices = kept<"on" | "off">("notices", "off");

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function kept<T extends string>(name: string, first: T): Signal<T> {
  const key = `hookline.${name}`;
  const made = signal<T>((read(key) as T | null) ?? first);
  effect(() => write(key, made.value));
  // What another tab was told holds here as well.
  window.addEventListener("storage", ({ key: changed, newValue }) => {
    if (changed === key && newValue !== null) made.value = newValue as T;
  });
  return made;
}

/** Storage can be forbidden. */
function read(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    window.localStorage.setItem(key, value);
  } catch {}
}
