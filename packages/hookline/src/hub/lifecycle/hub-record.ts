import { errorText, type HookError } from "@hookline/core";
import { createAlarms } from "../alarms/alarms.js";
import { createEventPreparer } from "../ingest/event-preparer.js";
import { createIngest } from "../ingest/ingest.js";
import { createOwnEvents } from "../ingest/own-events.js";
import { createLive } from "../live/live.js";
import type { Arrival } from "../parts.js";
import { openSinks } from "../sinks/open-sinks.js";
import { keepDecisionHead } from "../store/decision-head.js";
import type { RetentionLimits } from "../store/retention.js";
import type { Store } from "../store/store.js";
import type { HubSetting } from "./hub-options.js";

/** Without others, because an unattended hub must not fill the disk. */
const DEFAULT_LIMITS: RetentionLimits = { maxBytes: 2 * 1024 ** 3 };

interface RecordOptions extends Pick<HubSetting, "config" | "folders" | "onProblem" | "undo"> {
  readonly instance: string;
  readonly store: Store;
  readonly storePath: string;
  readonly report: (error: HookError) => void;
}

/** The store and everything that follows from what is stored: the way in, the live stream, the sinks, retention and the hub's own events. */
export async function openRecord({ config, folders, instance, store, storePath, onProblem, report, undo }: RecordOptions) {
  const decisionHead = await keepDecisionHead({ store, path: storePath, state: folders.state, onProblem });
  undo.add(() => decisionHead.close());
  const live = createLive();
  const listeners: ((arrivals: readonly Arrival[]) => void)[] = [live.publish];
  const ingest = createIngest({
    instance,
    store,
    onStored(arrivals) {
      // The handlers and approvals of a host's own hub have seen its events, and those of this hub must not act on them again.
      if (arrivals[0]?.host !== undefined) live.publish(arrivals);
      else for (const listener of listeners) listener(arrivals);
    },
  });
  const sinks = openSinks(config.sinks, { store, live, onError: report });
  undo.add(() => sinks.close());
  const retention = {
    adopt(limits: RetentionLimits): void {
      store
        .keepWithin({ ...DEFAULT_LIMITS, ...limits })
        .catch((error: unknown) => onProblem(`The limits of the store could not be set: ${errorText(error)}`));
    },
  };
  retention.adopt(config.retention);
  const preparer = createEventPreparer(report);
  undo.add(() => preparer.close());
  const ownEvents = createOwnEvents({ ingest, preparer, store }, report);
  undo.add(() => ownEvents.close());
  const alarms = createAlarms({ state: folders.state, tell: ownEvents.tell, onProblem });
  undo.add(() => alarms.close());
  return {
    store,
    decisionHead,
    live,
    ingest,
    preparer,
    sinks,
    retention,
    ownEvents,
    alarms,
    /** Called after each commit with what is new, in the order of positions. Returns how to stop. */
    onStored(listener: (arrivals: readonly Arrival[]) => void): () => void {
      listeners.push(listener);
      return () => void listeners.splice(listeners.indexOf(listener), 1);
    },
  };
}

export type HubRecord = Awaited<ReturnType<typeof openRecord>>;
