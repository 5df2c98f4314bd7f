const POLL_MS = 400;
const SETTLE_MS = 80;

/** Calls back when `signature` gives another text than before, once it has settled. Never keeps the process alive. */
export function watchSignature(signature: () => string, onChange: () => void): { close(): void } {
  let seen = signature();
  let settling: NodeJS.Timeout | undefined;

  function look(): void {
    const now = signature();
    if (now === seen) return;
    seen = now;
    clearTimeout(settling);
    settling = setTimeout(settled, SETTLE_MS).unref();
  }
  function settled(): void {
    settling = undefined;
    // Somebody is still writing: half of it may be a whole hook with half its guards.
    if (signature() === seen) onChange();
    else look();
  }

  const poll = setInterval(() => settling === undefined && look(), POLL_MS).unref();
  return {
    close() {
      clearInterval(poll);
      clearTimeout(settling);
    },
  };
}
