import { useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, apiErrorOf } from "../api/api-error.js";
import { hubInstance, isAway } from "./connection.js";
import { keepShown, lastShown } from "./last-shown.js";

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
}

/**
 * What the hub says, asked again every so often while the page is seen, and after a restart. `key` changes when the question does, and is this
 * question's alone: while the hub is away, its last answer is found by it.
 */
export function useLoaded<T>(load: () => Promise<T>, key: string, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: ApiError }>({ key });
  const latest = useRef(load);
  latest.current = load;
  const current = useRef(key);
  current.current = key;

  const reload = useCallback(() => {
    latest.current().then(
      (data) => {
        keepShown(key, data);
        if (current.current === key) setState({ key, data });
      },
      (thrown: unknown) =>
        current.current === key && setState((before) => ({ ...(before.key === key ? before : { key }), error: apiErrorOf(thrown) })),
    );
  }, [key]);

  useEffect(() => {
    reload();
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);

  const seen = useRef(hubInstance.peek());
  useSignalEffect(() => {
    if (hubInstance.value === seen.current) return;
    seen.current = hubInstance.value;
    reload();
  });
  const { data = lastShown<T>(key), error } = state.key === key ? state : ({ key } as typeof state);
  // That the hub is away, the page says already.
  const isSaid = data !== undefined && error?.status === 0 && isAway.value;
  return { data, error: isSaid ? undefined : error, reload };
}
