import { useRef } from "preact/hooks";

/** Which element is whose. */
type Slots = ReadonlyMap<string, number>;

/**
 * Keys by which elements go from row to row: who is still seen keeps its own, who comes into view gets that of one that has left. To change the
 * text of elements is far less work for a browser than to make others.
 */
export function useSlots(ids: readonly string[]): readonly number[] {
  const last = useRef<Slots>(new Map());
  const made = useRef(0);
  last.current = assignSlots(last.current, ids, () => made.current++);
  return [...last.current.values()];
}

/** Those that are free are given in the order they stood in, so that elements need not be moved when all rows are others. */
export function assignSlots(last: Slots, ids: readonly string[], make: () => number): Slots {
  // A file may have an event twice.
  const wanted = new Set(ids.map((id, at) => (ids.indexOf(id) === at ? id : `${id} ${at}`)));
  const free = [...last].filter(([id]) => !wanted.has(id)).map(([, slot]) => slot);
  let given = 0;
  return new Map([...wanted].map((id) => [id, last.get(id) ?? free[given++] ?? make()]));
}
