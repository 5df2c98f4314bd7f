/** An event that was read from a session file of an agent. */
export function ImportedMark() {
  return (
    <span class="imported-mark" title="From a session file of the agent, by hookline import">
      imported
    </span>
  );
}
