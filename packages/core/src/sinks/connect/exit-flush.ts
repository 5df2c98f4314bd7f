import { quietly } from "../../catalog/errors.js";

/** `isEnding`: the process ends when all have been flushed, for the host itself does not handle the signal. */
type Flush = (isEnding: boolean) => void;

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
  // Each sink gets its last chance, even if another one fails.
  for (const flush of [...onExit]) quietly(() => flush(true));
}

function passOn(signal: NodeJS.Signals): void {
  // A host that handles the signal itself decides what becomes of the process; otherwise it ends as if we had not been here.
  const isEnding = process.listenerCount(signal) <= 1;
  for (const flush of [...onSignal]) quietly(() => flush(isEnding));
  if (!isEnding) return;
  for (const each of SIGNALS) process.off(each, passOn);
  process.kill(process.pid, signal);
}
