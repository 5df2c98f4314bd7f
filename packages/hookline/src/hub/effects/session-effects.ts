import type { Effects, ReminderSpec } from "@hookline/core";
import type { EffectsFrame } from "@hookline/core/internal/wire";
import type { EnvelopeSource } from "@hookline/core/sinks";
import { newId } from "../ingest/new-id.js";

/** Whose model is told. Without a session: at the next boundary that has none either. */
export interface Addressee {
  readonly source: Pick<EnvelopeSource, "app" | "instance">;
  readonly session?: { readonly id: string } | undefined;
}

/** What the model is told, in plain text and as reminders. */
export interface Telling {
  readonly injections: readonly string[];
  readonly reminders: readonly ReminderSpec[];
  /** Which person or which handlers left it, and at which event. */
  readonly by?: string | undefined;
  readonly event?: string | undefined;
  /** The injections are the reason for which the next tool call or checkpoint is blocked. */
  readonly interrupt?: boolean | undefined;
}

/** What was taken to be told, until it is known whether the model was. */
export interface Lent extends Telling {
  /** Delivered, or waiting again before all that was left since. Only the first call counts. */
  settle(isTold: boolean): void;
}

/** What becomes of something that was left: one of the two, once. */
interface Fate {
  onDelivered(): void;
  onDropped(reason: string): void;
}

/** What was left, from then until the agent has it. */
interface Left extends Telling {
  readonly id: string;
  readonly to: Addressee;
  readonly at: number;
  readonly chars: number;
  readonly fate?: Fate | undefined;
}

/** One process on the line, as far as effects go. */
export interface EffectsLine {
  delivered(ids: unknown): void;
  close(): void;
}

export interface SessionEffects {
  /** Leaves something for a model. A connected process gets it at once; for other agents it waits until `take`. */
  leave(to: Addressee, telling: Telling, fate?: Fate): "sent" | "waiting" | "dropped";
  /** Whether a process is on the line. */
  reaches(instance: string): boolean;
  /** What waits for a session of an app, to be told now. Interrupts are not among it. `isAgent: false`: nor what operators have left. */
  take(app: string, session: string, isAgent?: boolean): Telling;
  /** The same for an answer that may not arrive; `interrupt`: the words with which a call is to be denied now. */
  lend(app: string, session: string, what: "words" | "interrupt"): Lent;
  /** Nothing can be interrupted now: from here on, interrupts are delivered as ordinary text. */
  calm(app: string, session: string): void;
  /** A process has come: what waits for it is sent. What it had not told when it went waits for it again. */
  connect(source: Addressee["source"], send: (frame: EffectsFrame) => void): EffectsLine;
  /** The hub ends, and with it what waits. */
  close(): void;
  readonly counters: { readonly left: number; readonly delivered: number; readonly waiting: number; readonly dropped: number };
}

/** An agent that says nothing for so long is not told any more. */
const KEEP_MS = 3_600_000;
const SWEEP_MS = 60_000;
const MAX_PER_SESSION = 100;
/** One text that no model would read; a frame of the line takes four times as much. */
const MAX_ENTRY_CHARS = 1024 * 1024;
/** What a process is sent before it has told the first of it, and what may wait for it then. */
const WINDOW = 50;
const MAX_QUEUED = 1_000;
const MAX_WAITING = 10_000;
const MAX_CHARS = 16 * 1024 * 1024;

/** What observers in the hub and operators leave for the models of agents, on its way there. */
export function createSessionEffects(now: () => number = Date.now): SessionEffects {
  const lines = new Map<string, Line>();
  /** By app and session; those that were left something first stand first. */
  const waiting = new Map<string, readonly Left[]>();
  const counts = { left: 0, delivered: 0, waiting: 0, dropped: 0 };
  let chars = 0;
  let sweep: NodeJS.Timeout | undefined;

  function wait(entry: Left): void {
    const key = keyOf(entry.to.source.app, entry.to.session?.id);
    const twins = waiting.get(key) ?? [];
    if (twins.length >= MAX_PER_SESSION)
      drop(
        remove(key, (other) => other === twins[0]),
        CROWDED,
      );
    waiting.set(key, [...(waiting.get(key) ?? []), entry]);
    counts.waiting++;
    chars += entry.chars;
    while (counts.waiting > MAX_WAITING || chars > MAX_CHARS) drop(remove(waiting.keys().next().value as string), CROWDED);
    keepSweeping();
  }

  /** What is too old is let go also if no agent asks for it, and its author is told. */
  function expire(): void {
    for (const key of [...waiting.keys()]) remove(key, () => false);
    for (const line of lines.values()) drop(line.takeOld(isCurrent), TOO_OLD);
    sweep = undefined;
    keepSweeping();
  }

  function keepSweeping(): void {
    if (waiting.size + lines.size > 0) sweep ??= setTimeout(expire, SWEEP_MS).unref();
  }

  /** Takes out those of a session that are meant; what is too old goes with them, and is gone. */
  function remove(key: string, isMeant: (entry: Left) => boolean = () => true): readonly Left[] {
    const entries = waiting.get(key) ?? [];
    const out = entries.filter((entry) => isMeant(entry) || !isCurrent(entry));
    const kept = entries.filter((entry) => !out.includes(entry));
    if (kept.length === 0) waiting.delete(key);
    else waiting.set(key, kept);
    counts.waiting -= out.length;
    chars -= out.reduce((sum, entry) => sum + entry.chars, 0);
    drop(
      out.filter((entry) => !isCurrent(entry)),
      TOO_OLD,
    );
    return out.filter(isCurrent);
  }

  function isCurrent({ at }: Left): boolean {
    return now() - at < KEEP_MS;
  }

  function drop(entries: readonly Left[], reason: string): void {
    counts.dropped += entries.length;
    for (const { fate } of entries) fate?.onDropped(reason);
  }

  function done(entries: readonly Left[]): void {
    counts.delivered += entries.length;
    for (const { fate } of entries) fate?.onDelivered();
  }

  /** They were taken, but the model did not get them. */
  function putBack(key: string, entries: readonly Left[]): void {
    if (entries.length === 0) return;
    waiting.set(key, [...entries, ...(waiting.get(key) ?? [])]);
    counts.waiting += entries.length;
    chars += entries.reduce((sum, entry) => sum + entry.chars, 0);
    sweep ??= setTimeout(expire, SWEEP_MS).unref();
  }

  function withoutContext(app: string, session: string, isMeant: (entry: Left) => boolean): readonly Left[] {
    const taken = waiting.size === 0 ? [] : remove(keyOf(app, session), isMeant);
    done(taken);
    return taken;
  }

  return {
    leave(to, telling, fate) {
      const { injections, reminders } = telling;
      if (injections.length + reminders.length === 0) return "sent";
      counts.left++;
      const entry: Left = { ...telling, id: newId(), to, at: now(), chars: weightOf(injections, reminders), fate };
      if (entry.chars > MAX_ENTRY_CHARS) {
        drop([entry], `It is longer than ${MAX_ENTRY_CHARS} characters.`);
        return "dropped";
      }
      const line = lines.get(to.source.instance);
      if (line === undefined) wait(entry);
      else drop(line.send(entry), CROWDED);
      return line === undefined ? "waiting" : "sent";
    },
    reaches: (instance) => lines.has(instance),
    take(app, session, isAgent = true) {
      const taken = withoutContext(app, session, ({ interrupt, fate }) => interrupt !== true && (isAgent || fate === undefined));
      return { injections: taken.flatMap(({ injections }) => injections), reminders: taken.flatMap(({ reminders }) => reminders) };
    },
    lend(app, session, what) {
      const key = keyOf(app, session);
      let lent = remove(key, ({ interrupt }) => (interrupt === true) === (what === "interrupt"));
      const names = new Set(lent.flatMap(({ by }) => by ?? []));
      return {
        injections: lent.flatMap(({ injections }) => injections),
        reminders: lent.flatMap(({ reminders }) => reminders),
        by: names.size === 0 ? undefined : [...names].join(", "),
        settle(isTold) {
          if (isTold) done(lent);
          else putBack(key, lent);
          lent = [];
        },
      };
    },
    calm(app, session) {
      const key = keyOf(app, session);
      const entries = waiting.get(key);
      if (entries !== undefined)
        waiting.set(
          key,
          entries.map((entry) => ({ ...entry, interrupt: false })),
        );
    },
    connect({ instance }, tell) {
      const line = createLine((entry) => tell(frameOf(entry)));
      lines.set(instance, line);
      for (const key of [...waiting.keys()])
        for (const entry of remove(key, ({ to }) => to.source.instance === instance)) drop(line.send(entry), CROWDED);
      keepSweeping();
      return {
        delivered: (ids) => done(line.delivered(Array.isArray(ids) ? ids : [])),
        close() {
          if (lines.get(instance) === line) lines.delete(instance);
          for (const entry of line.takeAll()) wait(entry);
        },
      };
    },
    close() {
      clearTimeout(sweep);
      for (const key of [...waiting.keys()]) drop(remove(key), "The hub was stopped.");
    },
    counters: counts,
  };
}

const CROWDED = "Too much waits, and this was the oldest.";
const TOO_OLD = "The session came to no boundary within an hour.";

type Line = ReturnType<typeof createLine>;

/** What one process is sent: a few at a time, so that no boundary is told more than a model can take in. */
function createLine(transmit: (entry: Left) => void) {
  const sent = new Map<string, Left>();
  let queue: readonly Left[] = [];

  function fill(): void {
    const room = queue.slice(0, WINDOW - sent.size);
    queue = queue.slice(room.length);
    for (const entry of room) {
      sent.set(entry.id, entry);
      transmit(entry);
    }
  }

  return {
    /** Gives what has no room. */
    send(entry: Left): readonly Left[] {
      queue = [...queue, entry];
      fill();
      const crowded = queue.slice(0, Math.max(0, queue.length - MAX_QUEUED));
      queue = queue.slice(crowded.length);
      return crowded;
    },
    delivered(ids: readonly unknown[]): readonly Left[] {
      const entries = ids.flatMap((id) => sent.get(id as string) ?? []);
      for (const { id } of entries) sent.delete(id);
      fill();
      return entries;
    },
    takeOld(isCurrent: (entry: Left) => boolean): readonly Left[] {
      const old = [...sent.values(), ...queue].filter((entry) => !isCurrent(entry));
      for (const { id } of old) sent.delete(id);
      queue = queue.filter(isCurrent);
      fill();
      return old;
    },
    takeAll(): readonly Left[] {
      const all = [...sent.values(), ...queue];
      sent.clear();
      queue = [];
      return all;
    },
  };
}

/** What handlers left at an event. */
export function tellingOf({ injections, reminders }: Effects, event?: string): Telling {
  const by = [...new Set(reminders.map((reminder) => reminder.by))].join(", ");
  return { injections, reminders: reminders.map(({ spec }) => spec), event, ...(by !== "" && { by }) };
}

function keyOf(app: string, session: string | undefined): string {
  return JSON.stringify([app, session]);
}

function weightOf(injections: readonly string[], reminders: readonly ReminderSpec[]): number {
  return injections.reduce((sum, text) => sum + text.length, 0) + JSON.stringify(reminders).length;
}

function frameOf({ id, to: { session }, injections, reminders, interrupt, by, event }: Left): EffectsFrame {
  return {
    type: "effects",
    id,
    ...(session !== undefined && { session: { id: session.id } }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders }),
    ...(interrupt === true && { interrupt }),
    ...(by !== undefined && { by }),
    ...(event !== undefined && { event }),
  };
}
