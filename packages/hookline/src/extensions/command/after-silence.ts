import type { ChildProcess } from "node:child_process";

const SILENCE_MS = 50;
const MAX_MS = 1_000;

/**
 * Calls back once what a program wrote before its end has been read. Its pipes may be open in the background for ever after, so their
 * end is not waited for; what it wrote is in them already, and the loop has looked there at least once more.
 */
export function afterSilence(child: ChildProcess, done: () => void): void {
  const since = Date.now();
  let isOver = false;
  let heard = 0;
  let timer: NodeJS.Timeout;
  const listen = () => void heard++;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    child.off("close", finish);
    for (const stream of [child.stdout, child.stderr]) stream?.off("data", listen);
    done();
  };
  const wait = () => {
    const before = heard;
    timer = setTimeout(() => {
      // After a busy time the timer comes before the pipes are looked at: a turn later they have been.
      setImmediate(() => (heard === before || Date.now() - since > MAX_MS ? finish() : wait()));
    }, SILENCE_MS);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", listen);
  child.once("close", finish);
  wait();
}
