import { createContext, type RefObject } from "preact";
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

type NoteSeen = (part: object, isSeen: boolean) => void;

/** Collects whether each part of a call has been in view to its end. */
export const SeenParts = createContext<NoteSeen>(() => {});

/** Whether all parts of a call have been in view: a call can be allowed only after that. */
export function useSeenParts(): { readonly areSeen: boolean; readonly note: NoteSeen } {
  const [unseen, setUnseen] = useState<ReadonlySet<object>>(new Set());
  const note = useCallback<NoteSeen>((part, isSeen) => setUnseen((before) => changed(before, part, isSeen)), []);
  return { areSeen: unseen.size === 0, note };
}

function changed(before: ReadonlySet<object>, part: object, isSeen: boolean): ReadonlySet<object> {
  if (before.has(part) !== isSeen) return before;
  const next = new Set(before);
  if (isSeen) next.delete(part);
  else next.add(part);
  return next;
}

/** For a part of a call: whether the mark at its end has been in view. While something of it is left out, it does not count. */
export function useEndSeen(isCut = false): { readonly end: RefObject<HTMLSpanElement | null>; readonly isSeen: boolean } {
  const note = useContext(SeenParts);
  const end = useRef<HTMLSpanElement>(null);
  const [wasInView, setInView] = useState(false);
  const isSeen = wasInView && !isCut;
  useEffect(() => {
    if (isCut || wasInView || end.current === null) return;
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && setInView(true));
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isCut, wasInView]);
  useLayoutEffect(() => {
    note(end, isSeen);
    return () => note(end, true);
  }, [isSeen]);
  return { end, isSeen };
}
