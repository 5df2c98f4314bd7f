import { filter, setFilter } from "../../state/filter.js";
import type { Filter } from "../../state/filter-line.js";

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
export function FilterChips() {
  return (
    <fieldset class="chips" aria-label="Usual filters">
      {CHIPS.map((chip) => (
        <button key={chip.label} type="button" class="chip" aria-pressed={isOn(chip)} onClick={() => toggle(chip)}>
          {chip.label}
        </button>
      ))}
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
