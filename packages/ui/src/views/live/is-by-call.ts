import { computed } from "@preact/signals";
import { filter } from "../../state/filter.js";
import { rowsOfLive } from "../../state/settings.js";

/** Who names events wants to see these events. */
export const isByCall = computed(() => rowsOfLive.value === "calls" && filter.value.event.length === 0);
