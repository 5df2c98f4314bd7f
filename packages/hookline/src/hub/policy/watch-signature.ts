const POLL_MS = 400;
const SETTLE_MS = 80;
/** After so many looks it is told all the same: something that never rests must not hide every other change. */
const MAX_LOOKS = 25;

export interface SignatureWatch {
  close(): void;
}

/** Calls back when `signature` gives another text than `before`, once it has settled. Never keeps the process alive. */
export function watchSignature(signature: () => string, onChange: () => void, before: string): SignatureWatch {
  let seen = before;
  let looks = 0;
  let settling: NodeJS.Timeout | undefined;

  function look(): void {
    const now = signature();
    if (now !== seen) wait(now);
  }
  function wait(now: string): void {
    seen = now;
    looks++;
    settling = setTimeout(settled, SETTLE_MS).unref();
  }
  function settled(): void {
    settling = undefined;
    const now = signature();
    // Somebody is still writing: half of it may be a whole hook with half its guards.
    if (now !== seen && looks < MAX_LOOKS) return wait(now);
    looks = 0;
    onChange();
  }

  const poll = setInterval(() => settling === undefined && look(), POLL_MS).unref();
  return {
    close() {
      clearInterval(poll);
      clearTimeout(settling);
    },
  };
}
