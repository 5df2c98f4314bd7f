import { Icon } from "../../parts/icon.js";

interface EntryNumberProps {
  readonly numbers: readonly number[];
  /** It is the first of several events in one row. */
  readonly isFlow: boolean;
  readonly isBroken: boolean;
}

/** Where in the file it stands: `12`, or `12–15` where it takes several entries. */
export function EntryNumber({ numbers, isFlow, isBroken }: EntryNumberProps) {
  const [first, last] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  const text = isFlow ? `${first}…` : first === last ? String(first) : `${first}–${last}`;
  return (
    <span class="entry-number mono dim" title={isBroken ? "The chain is broken here" : `In the file: ${numbers.join(", ")}`}>
      {isBroken && (
        <>
          <Icon name="warn" size={12} />
          <span class="unseen">broken here, </span>
        </>
      )}
      {text}
    </span>
  );
}
