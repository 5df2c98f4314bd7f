import { useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, apiErrorOf } from "../api/api-error.js";
import { hubInstance } from "./connection.js";

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
}

/** What the hub says, asked again every so often while the page is seen, and after a restart. `key` changes when the question does. */
export function useLoaded<T>(load: () => Promise<T>, key: string, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: ApiError }>({ key });
  const latest = useRef(load);
  latest.current = load;
  const current = useRef(key);
  current.current = key;

  const reload = useCallback(() => {
    latest.current().then(
      (data) => current.current === key && setState({ key, data }),
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
  const isOwn = state.key === key;
  return { data: isOwn ? state.data : undefined, error: isOwn ? state.error : undefined, reload };
}
