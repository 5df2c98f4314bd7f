import { signal } from "@preact/signals";

const query = window.matchMedia("(max-width: 760px)");

/** Whether the window is as narrow as a telephone. */
export const isNarrow = signal(query.matches);
query.addEventListener("change", () => {
  isNarrow.value = query.matches;
});
