import { useEffect, useState } from "preact/hooks";

/** Until somebody can have read it: what stood here before may just have gone away under the finger. */
const READ_MS = 600;

/** False for a moment after `what` has changed: nothing that appeared just now may be answered by accident. */
export function useCalm(what: string): boolean {
  const [calm, setCalm] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setCalm(what), READ_MS);
    return () => clearTimeout(timer);
  }, [what]);
  return calm === what;
}
