type Flush = () => void;

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const onExit = new Set<Flush>();
const onSignal = new Set<Flush>();

/** Has `flush` called when the process exits, however JavaScript still runs then; returns how to stop. One listener serves all. */
export function flushAtExit(flush: Flush): () => void {
  if (onExit.size === 0) process.on("exit", flushAll);
  onExit.add(flush);
  return () => {
    if (onExit.delete(flush) && onExit.size === 0) process.off("exit", flushAll);
  };
}

/** Has `flush` called before a signal ends the process; returns how to stop. Only where the host asked for it. */
export function flushAtSignals(flush: Flush): () => void {
  if (onSignal.size === 0) for (const signal of SIGNALS) process.on(signal, passOn);
  onSignal.add(flush);
  return () => {
    if (onSignal.delete(flush) && onSignal.size === 0) for (const signal of SIGNALS) process.off(signal, passOn);
  };
}

function flushAll(): void {
  for (const flush of [...onExit]) quietly(flush);
}

function passOn(signal: NodeJS.Signals): void {
  for (const flush of [...onSignal]) quietly(flush);
  // A host that handles the signal itself decides what becomes of the process; otherwise it ends as if we had not been here.
  if (process.listenerCount(signal) > 1) return;
  for (const each of SIGNALS) process.off(each, passOn);
  process.kill(process.pid, signal);
}

// The last chance of every sink, whatever the one before did.
function quietly(flush: Flush): void {
  try {
    flush();
  } catch {}
}
