import { deriveSource } from "../../extensions/derive-source.js";
import type { HandlerSource } from "../../extensions/handler-source.js";

/** How long a source that has been replaced may take over what it was asked before. */
const PATIENCE_MS = 10_000;

/** A source as it is put on the bus: another can take its place while events are under way. */
export interface Replaceable {
  readonly source: HandlerSource;
  /**
   * From now on the successor answers an event that was on its way through the guards and still comes by; without one, this one does, as
   * long as it can. Resolves when everything that was asked before has been answered.
   */
  retire(successor: Replaceable | undefined): Promise<void>;
}

export function createReplaceable(source: HandlerSource): Replaceable {
  let asked = 0;
  let next: HandlerSource | undefined;
  let onIdle = (): void => {};

  const front = deriveSource(source, {
    handle(event, hook) {
      if (next !== undefined) return next.handle(event, hook);
      const answer = source.handle(event, hook);
      if (!(answer instanceof Promise)) return answer;
      asked++;
      return answer.finally(() => {
        if (--asked === 0) onIdle();
      });
    },
  });
  return {
    source: front,
    retire(successor) {
      next = successor?.source;
      if (asked === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const late = setTimeout(resolve, PATIENCE_MS).unref();
        onIdle = () => {
          clearTimeout(late);
          resolve();
        };
      });
    },
  };
}
