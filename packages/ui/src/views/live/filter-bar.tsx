import { useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon } from "../../parts/icon.js";
import { filter, filterLine, isFiltered, parseFilter, setFilter } from "../../state/filter.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { FilterChips } from "./filter-chips.js";

/** The filter as a line of text, in the words of `hookline tail`, and the usual ones as buttons. */
export function FilterBar() {
  const input = useRef<HTMLInputElement>(null);
  const line = useSignal(filterLine(filter.value));
  useSignalEffect(() => {
    line.value = filterLine(filter.value);
  });
  useShortcuts("Live", [{ keys: ["/"], label: "Filter and search", run: () => input.current?.select() }]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setFilter(parseFilter(line.value));
  };
  return (
    <search>
      <form class="filter" onSubmit={submit}>
        <label class="filter-box">
          <Icon name="search" size={14} />
          <span class="unseen">Filter events</span>
          <input
            ref={input}
            class="mono"
            type="text"
            value={line.value}
            spellcheck={false}
            autocomplete="off"
            placeholder="event:tool:* decision:deny since:2h words to search for"
            onInput={(event) => {
              line.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
          {isFiltered.value && (
            <button type="button" class="link" onClick={() => setFilter(parseFilter(""))}>
              Clear
            </button>
          )}
          <span class="key" aria-hidden="true">
            /
          </span>
        </label>
        <FilterChips />
      </form>
    </search>
  );
}
