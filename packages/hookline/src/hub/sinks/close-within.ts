import type { Sink } from "@hookline/core/sinks";

/** Closes a sink, and waits for it no longer than so. What it throws changes nothing: everything is counted by then. */
export function closeWithin(sink: Sink, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    Promise.resolve()
      .then(() => sink.close())
      .then(done, done);
  });
}
