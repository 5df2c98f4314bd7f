import type { Effects, ReminderSpec } from "@hookline/core";
import type { LineEffects } from "@hookline/core/forward";
import type { EnvelopeSource } from "@hookline/core/sinks";
import { newId } from "../ingest/new-id.js";

/** Whose model is told. Without a session: at the first boundary of whichever session the process has. */
export interface Addressee {
  readonly source: Pick<EnvelopeSource, "app" | "instance">;
  readonly session?: { readonly id: string } | undefined;
}

/** What the model is told, in plain text and as reminders. */
export interface Telling {
  readonly injections: readonly string[];
  readonly reminders: readonly ReminderSpec[];
  /** The injections are the reason for which the next tool call or checkpoint is blocked. */
  readonly interrupt?: boolean | undefined;
  /** Who says it, where that is a person. */
  readonly by?: string | undefined;
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
  /** Leaves something for a model. A process on the line is sent it at once; for everybody else it waits until `take`. */
  leave(to: Addressee, telling: Telling, fate?: Fate): "sent" | "waiting";
  /** Whether a process is on the line. */
  reaches(instance: string): boolean;
  /** What waits for a session of an app, to be told now. Interrupts are not among it. */
  take(app: string, session: string): Telling;
  /** The words with which a call of a session of an app is to be denied now. */
  takeInterrupt(app: string, session: string): string | undefined;
  /** The same as `take` and `takeInterrupt`, for an answer that may not arrive. */
  lend(app: string, session: string, what: "words" | "interrupt"): Lent;
  /** Nothing is under way that could be interrupted: from now on the words of interrupts are told as any others. */
  calm(app: string, session: string): void;
  /** A process has come: what waits for it is sent. What it had not told when it went waits for it again. */
  connect(source: Addressee["source"], send: (frame: LineEffects) => void): EffectsLine;
  /** The hub ends, and with it what waits. */
  close(): void;
  readonly counters: { readonly left: number; readonly delivered: number; readonly waiting: number; readonly dropped: number };
}

/** An agent that says nothing for so long is not told any more. */
const KEEP_MS = 3_600_000;
const SWEEP_MS = 60_000;
const MAX_PER_SESSION = 100;
const MAX_WAITING = 10_000;
const MAX_CHARS = 16 * 1024 * 1024;

/** What observers in the hub and operators leave for the models of agents, on its way there. */
export function createSessionEffects(now: () => number = Date.now): SessionEffects {
  const lines = new Map<string, { readonly send: (left: Left) => void }>();
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
    sweep ??= setTimeout(expire, SWEEP_MS).unref();
  }

  /** What is too old is let go also if nobody asks for it: whoever left it is told. */
  function expire(): void {
    for (const key of [...waiting.keys()]) remove(key, () => false);
    sweep = waiting.size === 0 ? undefined : setTimeout(expire, SWEEP_MS).unref();
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
      "The session came to no boundary within an hour.",
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

  /** They were taken out, and nobody was told. */
  function putBack(key: string, entries: readonly Left[]): void {
    if (entries.length === 0) return;
    waiting.set(key, [...entries, ...(waiting.get(key) ?? [])]);
    counts.waiting += entries.length;
    chars += entries.reduce((sum, entry) => sum + entry.chars, 0);
    sweep ??= setTimeout(expire, SWEEP_MS).unref();
  }

  function takeOut(app: string, session: string, isMeant: (entry: Left) => boolean): readonly Left[] {
    const taken = waiting.size === 0 ? [] : remove(keyOf(app, session), isMeant);
    done(taken);
    return taken;
  }

  return {
    leave(to, { injections, reminders, interrupt, by }, fate) {
      if (injections.length + reminders.length === 0) return "sent";
      counts.left++;
      const chars = weightOf(injections, reminders);
      const entry: Left = { id: newId(), to, injections, reminders, interrupt, by, at: now(), chars, fate };
      const line = lines.get(to.source.instance);
      if (line === undefined) wait(entry);
      else line.send(entry);
      return line === undefined ? "waiting" : "sent";
    },
    reaches: (instance) => lines.has(instance),
    take(app, session) {
      const taken = takeOut(app, session, ({ interrupt }) => interrupt !== true);
      return { injections: taken.flatMap(({ injections }) => injections), reminders: taken.flatMap(({ reminders }) => reminders) };
    },
    takeInterrupt(app, session) {
      const taken = takeOut(app, session, ({ interrupt }) => interrupt === true);
      return taken.length === 0 ? undefined : taken.flatMap(({ injections }) => injections).join("\n\n");
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
      const sent = new Map<string, Left>();
      const line = {
        send(entry: Left): void {
          sent.set(entry.id, entry);
          tell(frameOf(entry));
        },
      };
      lines.set(instance, line);
      for (const key of [...waiting.keys()]) for (const entry of remove(key, ({ to }) => to.source.instance === instance)) line.send(entry);
      return {
        delivered(ids) {
          const entries = (Array.isArray(ids) ? ids : []).flatMap((id) => sent.get(id) ?? []);
          for (const { id } of entries) sent.delete(id);
          done(entries);
        },
        close() {
          if (lines.get(instance) === line) lines.delete(instance);
          for (const entry of sent.values()) wait(entry);
          sent.clear();
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

/** Reminders without who left them: that is in the record. */
export function tellingOf({ injections, reminders }: Effects): Telling {
  return { injections, reminders: reminders.map(({ spec }) => spec) };
}

function keyOf(app: string, session: string | undefined): string {
  return JSON.stringify([app, session]);
}

function weightOf(injections: readonly string[], reminders: readonly ReminderSpec[]): number {
  return injections.reduce((sum, text) => sum + text.length, 0) + JSON.stringify(reminders).length;
}

function frameOf({ id, to: { session }, injections, reminders, interrupt }: Left): LineEffects {
  return {
    type: "effects",
    id,
    ...(session !== undefined && { session: { id: session.id } }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders }),
    ...(interrupt === true && { interrupt }),
  };
}
