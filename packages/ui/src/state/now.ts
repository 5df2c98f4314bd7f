import { computed, signal } from "@preact/signals";
import { dayText } from "../text/times.js";

/** The time, once a second: for ages and countdowns. */
export const now = signal(Date.now());

/** The local day. It changes at midnight, also on a page that stays open. */
export const today = computed(() => dayText(now.value));

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
document.addEventListener("visibilitychange", () => {
  now.value = Date.now();
});
