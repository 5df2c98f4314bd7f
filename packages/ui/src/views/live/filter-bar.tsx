import { useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon } from "../../parts/icon.js";
import { filter, isFiltered, setFilter } from "../../state/filter.js";
import { type Filter, filterLine, parseFilter, problemIn } from "../../state/filter-line.js";
import { fleetParts } from "../../state/fleet-parts.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { inert } from "../../text/inert.js";
import { SavedChips } from "./saved-chips.js";

/** The filter as a line of text, in the words of `hookline tail`, and the usual ones as buttons. */
export function FilterBar() {
  const input = useRef<HTMLInputElement>(null);
  const line = useSignal(filterLine(filter.value));
  const problem = useSignal<string | undefined>(undefined);
  useSignalEffect(() => {
    line.value = filterLine(filter.value);
    problem.value = undefined;
  });
  useShortcuts("Live", [{ keys: ["/"], label: "Filter and search", run: () => input.current?.select() }]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    problem.value = problemIn(line.value);
    if (problem.value === undefined) setFilter(parseFilter(line.value));
  };
  const clear = () => {
    line.value = "";
    problem.value = undefined;
    if (isFiltered.value) setFilter(parseFilter(""));
  };
  /** Escape clears what stands there; once more, and it is left. */
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    if (line.value === "") input.current?.blur();
    else clear();
  };
  const isApplied = line.value.trim() === filterLine(filter.value);
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
              problem.value = undefined;
            }}
            onKeyDown={leave}
          />
          {!isApplied && (
            <button type="submit" class="link">
              Apply
            </button>
          )}
          {line.value !== "" && (
            <button type="button" class="link" onClick={clear}>
              Clear
            </button>
          )}
          <span class="key" aria-hidden="true">
            {isApplied ? "/" : "Enter"}
          </span>
        </label>
        {fleetParts.value !== undefined && <fleetParts.value.HostPicker />}
        <FilterChips />
        {problem.value !== undefined && (
          <p class="filter-problem" role="alert">
            {inert(problem.value)}
          </p>
        )}
      </form>
    </search>
  );
}

interface Chip {
  readonly label: string;
  readonly name: keyof Filter;
  readonly value: string;
}

const CHIPS: readonly Chip[] = [
  { label: "Denied", name: "decision", value: "deny" },
  { label: "Asked", name: "decision", value: "ask" },
  { label: "Tools", name: "event", value: "tool:*" },
  { label: "Prompts", name: "event", value: "prompt:*" },
  { label: "Sessions", name: "event", value: "session:*" },
  { label: "Last 15 min", name: "since", value: "15m" },
];

/** The usual filters, one press each. */
function FilterChips() {
  return (
    <fieldset class="chips" aria-label="Usual and saved filters">
      {CHIPS.map((chip) => (
        <button key={chip.label} type="button" class="chip" aria-pressed={isOn(chip)} onClick={() => toggle(chip)}>
          {chip.label}
        </button>
      ))}
      <SavedChips />
    </fieldset>
  );
}

function isOn({ name, value }: Chip): boolean {
  return filter.value[name].includes(value);
}

function toggle(chip: Chip): void {
  const { name, value } = chip;
  const others = filter.value[name].filter((one) => one !== value);
  setFilter({ [name]: isOn(chip) ? others : name === "event" ? [...others, value] : [value] });
}
