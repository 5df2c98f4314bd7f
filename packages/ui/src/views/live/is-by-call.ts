import { computed } from "@preact/signals";
import { filter } from "../../state/filter.js";
import { rowsOfLive } from "../../state/settings.js";

/** A filter that names events is for these events. */
export const isByCall = computed(() => rowsOfLive.value === "calls" && filter.value.event.length === 0);
