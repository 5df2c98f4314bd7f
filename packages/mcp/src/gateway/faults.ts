/** So long the same fault is only counted. */
const QUIET_MS = 60_000;
/** So many kinds of faults are told apart. */
const MAX_KINDS = 100;

/** Tells of each fault at most once a minute, with the number that was kept quiet. A server that floods must not flood the record. */
export function createFaults(tell: (text: string) => void, now: () => number = () => performance.now()): (text: string) => void {
  const kinds = new Map<string, { quietUntil: number; suppressed: number }>();
  return (text) => {
    const known = kinds.get(text);
    if (known !== undefined && now() < known.quietUntil) {
      known.suppressed++;
      return;
    }
    if (kinds.size >= MAX_KINDS) kinds.clear();
    kinds.set(text, { quietUntil: now() + QUIET_MS, suppressed: 0 });
    const suppressed = known?.suppressed ?? 0;
    tell(suppressed === 0 ? text : `${text} (${suppressed} more of this kind in between)`);
  };
}
