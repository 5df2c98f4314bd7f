import { computed } from "@preact/signals";
import { FILTER_NAMES, type Filter } from "./filter-line.js";
import { changeParams, params } from "./location.js";

/** The filter in the address. */
export const filter = computed(
  (): Filter => Object.fromEntries(FILTER_NAMES.map((name) => [name, params.value.getAll(name)])) as unknown as Filter,
);
/** As the hub takes it. */
export const filterQuery = computed(() => toQuery(filter.value));
export const isFiltered = computed(() => filterQuery.value !== "");

export function setFilter(values: Partial<Filter>): void {
  changeParams({ ...values, id: undefined });
}

function toQuery(of: Filter): string {
  const made = new URLSearchParams();
  for (const name of FILTER_NAMES) for (const value of of[name]) made.append(name, value);
  return made.toString();
}
