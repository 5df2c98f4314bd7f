import { markerOf } from "../../redact/markers.js";

/** Recorded data for handlers of today, that notices when one of them needs what was not recorded. */
export interface Tracked {
  readonly data: unknown;
  /** Where hidden or unrepresentable values were read, as paths. */
  readonly touched: readonly string[];
  /** From now on reads are not tracked. */
  stop(): void;
}

/**
 * A copy with a getter in place of every marker. Not a Proxy: a bus that freezes payloads would forbid one to answer,
 * and with spread, JSON and the matchers a getter is read just as well.
 */
export function track(recorded: unknown, root: string): Tracked {
  const touched = new Set<string>();
  let isStopped = false;
  const touch = (path: string): void => {
    if (!isStopped) touched.add(path);
  };
  // A value that is hidden as a whole counts as read when it is returned.
  if (markerOf(recorded) !== undefined) touch(root);
  return {
    data: copyTracked(recorded, root, touch),
    get touched() {
      return [...touched];
    },
    stop() {
      isStopped = true;
    },
  };
}

function copyTracked(value: unknown, path: string, touch: (path: string) => void): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy: object = Array.isArray(value) ? [] : {};
  for (const [key, member] of Object.entries(value)) {
    const place = `${path}.${key}`;
    const data = copyTracked(member, place, touch);
    const isMarker = markerOf(member) !== undefined;
    const get = (): unknown => {
      touch(place);
      return data;
    };
    // Defined, not assigned: `__proto__` is a key like any other.
    Object.defineProperty(copy, key, { enumerable: true, configurable: true, ...(isMarker ? { get } : { value: data, writable: true }) });
  }
  return copy;
}
