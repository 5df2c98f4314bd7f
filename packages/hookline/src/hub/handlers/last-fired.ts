import type { Bus } from "@hookline/core";
import { storedName } from "../store/handler-steps.js";
import { HUB } from "../store/handler-tally.js";
import type { Store } from "../store/store.js";
import type { CarriedCounts } from "./carried-counts.js";

const PERIOD_MS = 60_000;
/** The bus knows the time of a call only roughly. */
const SLACK_MS = 1_000;

interface LastFiredParts {
  readonly bus: Bus;
  readonly counts: Pick<CarriedCounts, "add">;
  readonly store: Pick<Store, "fired">;
  readonly onProblem: (text: string) => void;
}

/** Writes down when the hub's handlers fired at last. Of those that only observe no decision tells, and a restart must not make them new. */
export function keepLastFired({ bus, counts, store, onProblem }: LastFiredParts): { close(): Promise<void> } {
  let keptAt = 0;

  async function keep(): Promise<void> {
    const since = keptAt - SLACK_MS;
    keptAt = Date.now();
    const fired = bus.stats().flatMap((stats) => {
      const { owner = "", name, event, lastFiredAt: lastAt = 0 } = counts.add(stats);
      return lastAt > since && lastAt > 0 ? [{ app: HUB, owner: storedName(owner), handler: storedName(name), event, lastAt }] : [];
    });
    if (fired.length > 0) await store.fired(fired);
  }

  const timer = setInterval(() => {
    keep().catch((error: unknown) => onProblem(`When handlers fired was not kept: ${(error as Error).message}`));
  }, PERIOD_MS).unref();
  return {
    close() {
      clearInterval(timer);
      return keep();
    },
  };
}
