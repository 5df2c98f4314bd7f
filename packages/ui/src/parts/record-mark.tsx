import { Icon } from "./icon.js";

/** An event whose stored text is not what was stored. */
export function DamagedMark() {
  return (
    <span class="imported-mark is-damaged" title="The stored text is damaged. Run: hookline doctor">
      <Icon name="warn" size={11} /> damaged
    </span>
  );
}

/** An event that was read from a session file of an agent. */
export function ImportedMark() {
  return (
    <span class="imported-mark" title="From a session file of the agent, by hookline import">
      imported
    </span>
  );
}
