import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

const RETRY_MS = 2_000;

/** Once the first view stands. */
const IDLE_MS = 3_000;

/**
 * A part whose code is loaded after the first view of the dashboard, so that the first view does not wait for it; or when it is shown, if that
 * is earlier. It is there when it is opened while the hub is away.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  setTimeout(() => void load().catch(() => {}), IDLE_MS);
  return function Later(props: P) {
    const [Part, setPart] = useState(() => loaded);
    useEffect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const tryNow = (): void =>
        void load().then(
          (found) => {
            loaded = found;
            setPart(() => found);
          },
          () => {
            timer = setTimeout(tryNow, RETRY_MS);
          },
        );
      if (loaded === undefined) tryNow();
      return () => clearTimeout(timer);
    }, []);
    return Part === undefined ? <div aria-busy="true" /> : <Part {...props} />;
  };
}
