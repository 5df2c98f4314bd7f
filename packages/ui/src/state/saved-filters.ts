import { computed } from "@preact/signals";
import { isFields } from "../text/fields.js";
import { kept } from "./settings.js";

/** A filter of Live under a name, in the words of the filter line. */
export interface SavedFilter {
  readonly name: string;
  readonly line: string;
}

const MAX_SAVED = 50;
const MAX_NAME = 60;
const stored = kept<string>("filters", "[]");

/** Kept by this browser, for the dashboard's address: the hub does not know of them. By name. */
export const savedFilters = computed(() => parseSaved(stored.value));

/** Replaces a filter of the same name. False if there is no room for another one. */
export function saveFilter(name: string, line: string): boolean {
  const short = name.trim().slice(0, MAX_NAME);
  const others = savedFilters.value.filter((one) => one.name !== short);
  if (short === "" || others.length >= MAX_SAVED) return false;
  store([...others, { name: short, line }]);
  return true;
}

export function forgetFilter(name: string): void {
  store(savedFilters.value.filter((one) => one.name !== name));
}

function store(filters: readonly SavedFilter[]): void {
  stored.value = JSON.stringify(filters.toSorted((a, b) => a.name.localeCompare(b.name)));
}

/** What the browser kept may have been written by anything. */
function parseSaved(text: string): readonly SavedFilter[] {
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return [];
    return list.flatMap((one: unknown) =>
      isFields(one) && typeof one.name === "string" && typeof one.line === "string" ? [{ name: one.name, line: one.line }] : [],
    );
  } catch {
    return [];
  }
}
