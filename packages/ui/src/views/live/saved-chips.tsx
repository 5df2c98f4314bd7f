import { useState } from "preact/hooks";
import { filter, isFiltered, setFilter } from "../../state/filter.js";
import { filterLine, parseFilter } from "../../state/filter-line.js";
import { say } from "../../state/notices.js";
import { forgetFilter, savedFilters, saveFilter } from "../../state/saved-filters.js";
import { inert } from "../../text/inert.js";

/** The filters that this browser keeps under a name, and a way to keep the current one. */
export function SavedChips() {
  const [isNaming, setNaming] = useState(false);
  const line = filterLine(filter.value);
  const current = savedFilters.value.find((saved) => saved.line === line);
  return (
    <>
      {savedFilters.value.map((saved) => (
        <button
          key={saved.name}
          type="button"
          class="chip chip-saved"
          aria-pressed={saved === current}
          title={inert(saved.line)}
          onClick={() => setFilter(parseFilter(saved === current ? "" : saved.line))}
        >
          {inert(saved.name)}
        </button>
      ))}
      {current !== undefined && (
        <button type="button" class="link" onClick={() => forgetFilter(current.name)}>
          Forget “{inert(current.name)}”
        </button>
      )}
      {current === undefined && isFiltered.value && !isNaming && (
        <button type="button" class="link" onClick={() => setNaming(true)}>
          Save filter…
        </button>
      )}
      {current === undefined && isFiltered.value && isNaming && <NameForm line={line} onDone={() => setNaming(false)} />}
    </>
  );
}

/** It is within the form of the filter, and so takes its own Enter. */
function NameForm({ line, onDone }: { readonly line: string; readonly onDone: () => void }) {
  const [name, setName] = useState("");
  const save = () => {
    if (name.trim() === "") return;
    if (!saveFilter(name, line)) say("There are 50 saved filters. Forget one first.", { kind: "bad" });
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    if (event.key === "Enter") save();
    else onDone();
  };
  return (
    <span class="save-filter">
      <label>
        <span class="unseen">Name of the filter</span>
        <input
          type="text"
          value={name}
          maxLength={60}
          placeholder="Name"
          autofocus
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <button type="button" class="link" onClick={save}>
        Save
      </button>
      <button type="button" class="link" onClick={onDone}>
        Cancel
      </button>
    </span>
  );
}
