import { useRef } from "preact/hooks";

/** What there was before, until what is asked for is there: nothing that is looked at vanishes meanwhile. */
export function useKept<T>(value: T | undefined): T | undefined {
  const kept = useRef(value);
  if (value !== undefined) kept.current = value;
  return kept.current;
}
