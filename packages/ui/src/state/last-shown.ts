import { effect } from "@preact/signals";
import { me } from "./access.js";
import { isAway } from "./connection.js";

const MOST = 24;
const kept = new Map<string, unknown>();

/** Keeps what a view shows, for when it is opened again. The latest few: memory stays flat. */
export function keepShown(key: string, value: unknown): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > MOST) kept.delete(kept.keys().next().value as string);
}

/** What a view showed last, while the hub is away and cannot say what it is now. */
export function lastShown<T>(key: string): T | undefined {
  return isAway.value ? (kept.get(key) as T | undefined) : undefined;
}

// After signing out, nothing from before stays visible.
effect(() => {
  if (me.value === "nobody") kept.clear();
});
