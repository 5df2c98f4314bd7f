import { computed } from "@preact/signals";
import { changeParams, params } from "../state/location.js";
import { Tabs } from "./tabs.js";

const WINDOWS = [
  { id: "15", label: "15 min" },
  { id: "60", label: "1 h" },
  { id: "360", label: "6 h" },
  { id: "1440", label: "24 h" },
  { id: "10080", label: "7 d" },
] as const;

const current = computed(() => WINDOWS.find(({ id }) => id === params.value.get("minutes")) ?? WINDOWS[1]);

/** How far back the view looks; it stands in the address. */
export const windowMinutes = computed(() => Number(current.value.id));
export const windowText = computed(() => current.value.label);

export function WindowTabs() {
  return (
    <Tabs tabs={WINDOWS} current={current.value.id} onChoose={(minutes) => changeParams({ minutes }, "replace")} label="How far back" />
  );
}
