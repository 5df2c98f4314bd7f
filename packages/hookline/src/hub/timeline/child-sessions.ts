import type { Envelope } from "@hookline/core/sinks";
import type { SessionRow, TimelineSpan } from "../protocol.js";
import { shortDetail } from "./short-detail.js";

/** A session that is told within another: in a span of that, or in one of its own. */
export interface SessionPart {
  readonly id: string;
  /** The span that it is in. */
  readonly root?: string | undefined;
  /** No event announced it as a worker; it is drawn as one. */
  readonly isOwnSpan?: boolean;
}

/** What is known of the session that others are within. */
export interface ParentSpans {
  readonly spans: readonly TimelineSpan[];
  /** By the id of the worker. */
  readonly workers: ReadonlyMap<string, string>;
  readonly root: string | undefined;
}

/**
 * The sessions of the workers, by their names; and those that say whose children they are. One of these is in the worker that ran when it
 * began, if there was one and no other: who of two it belongs to is not guessed.
 */
export function partsWithin({ spans, workers, root }: ParentSpans, children: readonly SessionRow[]): SessionPart[] {
  const named = [...workers].map(([id, span]) => ({ id, root: span }));
  const ids = new Set(children.map(({ id }) => id));
  const nameless = new Set(named.filter(({ id }) => !ids.has(id)).map((worker) => worker.root));
  const others = children
    .filter(({ id }) => !workers.has(id))
    .map(({ id, firstAt }) => {
      const around = spans.filter(({ startAt, endAt = firstAt }) => startAt <= firstAt && firstAt <= endAt);
      const [worker, another] = around.filter((span) => nameless.has(span.id));
      if (worker !== undefined && another === undefined) return { id, root: worker.id };
      return { id, root: around.findLast(({ kind }) => kind === "turn")?.id ?? root, isOwnSpan: true };
    });
  return [...named, ...others];
}

/** A session that no event announced as a worker, shown as one: from its first event to the end of the last span in it. */
export function spanOfSession({ id, root }: SessionPart, first: Envelope, within: readonly TimelineSpan[]): TimelineSpan {
  const startAt = Date.parse(first.at);
  const name = (first.payload as { readonly agent?: { readonly name?: unknown } } | null)?.agent?.name;
  const isOpen = within.some(({ kind, endAt }) => endAt === undefined && (kind === "turn" || kind === "tool"));
  const endAt = within.reduce((latest, span) => Math.max(latest, span.endAt ?? span.startAt), startAt);
  return {
    id: `session ${id}`,
    kind: "worker",
    name: shortDetail(typeof name === "string" ? name : id) ?? "session",
    startAt,
    eventId: first.id,
    ...(!isOpen && { endAt }),
    ...(root !== undefined && { parentId: root }),
  };
}
