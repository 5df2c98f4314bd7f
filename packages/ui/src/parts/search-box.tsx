import { useRef } from "preact/hooks";
import { useShortcuts } from "../state/shortcuts.js";
import { Icon } from "./icon.js";

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Narrows what is on the page already. */
export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  useShortcuts("View", [{ keys: ["/"], label, run: () => input.current?.select() }]);
  return (
    <label class="search-box">
      <Icon name="search" size={14} />
      <span class="unseen">{label}</span>
      <input
        ref={input}
        type="text"
        value={value}
        placeholder={label}
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
    </label>
  );
}
