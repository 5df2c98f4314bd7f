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
}

/** What becomes of something that was left; each is told once, and one of the two. */
export interface Fate {
  onDelivered(): void;
  onDropped(reason: string): void;
}

/** What was left, from then until the agent has it. */
interface Left extends Telling {
  readonly id: string;
  readonly to: Addressee;
  readonly at: number;
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
const MAX_WAITING = 10_000;
const MAX_PER_SESSION = 100;

/** What observers in the hub and operators leave for the models of agents, on its way there. */
export function createSessionEffects(now: () => number = Date.now): SessionEffects {
  const lines = new Map<string, { readonly send: (left: Left) => void }>();
  /** By app and session, the oldest first. */
  let waiting: readonly Left[] = [];
  let [left, delivered, dropped] = [0, 0, 0];
  let sweep: NodeJS.Timeout | undefined;

  function isCurrent({ at }: Left): boolean {
    return now() - at < KEEP_MS;
  }

  function drop(entries: readonly Left[], reason: string): void {
    if (entries.length === 0) return;
    dropped += entries.length;
    waiting = waiting.filter((entry) => !entries.includes(entry));
    for (const { fate } of entries) fate?.onDropped(reason);
  }

  /** What has waited too long is let go also if nothing else comes. */
  function expire(): void {
    clearTimeout(sweep);
    sweep = undefined;
    drop(
      waiting.filter((entry) => !isCurrent(entry)),
      "The session came to no boundary within an hour.",
    );
    const [oldest] = waiting;
    if (oldest !== undefined) sweep = setTimeout(expire, Math.max(1_000, oldest.at + KEEP_MS - now())).unref();
  }

  function wait(entry: Left): void {
    expire();
    const twins = waiting.filter((other) => isFor(other, entry.to.source.app, entry.to.session?.id));
    const crowded = twins.length >= MAX_PER_SESSION ? twins[0] : waiting.length >= MAX_WAITING ? waiting[0] : undefined;
    if (crowded !== undefined) drop([crowded], "Too much waits, and this was the oldest.");
    waiting = [...waiting, entry];
    if (sweep === undefined) expire();
  }

  function done(entries: readonly Left[]): void {
    delivered += entries.length;
    waiting = waiting.filter((entry) => !entries.includes(entry));
    for (const { fate } of entries) fate?.onDelivered();
  }

  function waitingFor(app: string, session: string, isInterrupt: boolean): readonly Left[] {
    if (waiting.length === 0) return waiting;
    return waiting.filter((entry) => isFor(entry, app, session) && isCurrent(entry) && (entry.interrupt === true) === isInterrupt);
  }

  return {
    leave(to, { injections, reminders, interrupt }, fate) {
      if (injections.length + reminders.length === 0) return "sent";
      left++;
      const entry: Left = { id: newId(), to, injections, reminders, interrupt, at: now(), fate };
      const line = lines.get(to.source.instance);
      if (line === undefined) wait(entry);
      else line.send(entry);
      return line === undefined ? "waiting" : "sent";
    },
    reaches: (instance) => lines.has(instance),
    take(app, session) {
      const taken = waitingFor(app, session, false);
      if (taken.length === 0) return NOTHING;
      done(taken);
      return { injections: taken.flatMap(({ injections }) => injections), reminders: taken.flatMap(({ reminders }) => reminders) };
    },
    takeInterrupt(app, session) {
      const taken = waitingFor(app, session, true);
      if (taken.length === 0) return undefined;
      done(taken);
      return taken.flatMap(({ injections }) => injections).join("\n\n");
    },
    calm(app, session) {
      const calmed = waitingFor(app, session, true);
      if (calmed.length > 0) waiting = waiting.map((entry) => (calmed.includes(entry) ? { ...entry, interrupt: false } : entry));
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
      const own = waiting.filter(({ to }) => to.source.instance === instance);
      waiting = waiting.filter((entry) => !own.includes(entry));
      for (const entry of own) line.send(entry);
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
      drop(waiting, "The hub was stopped.");
    },
    get counters() {
      return { left, delivered, waiting: waiting.length, dropped };
    },
  };
}

const NOTHING: Telling = { injections: [], reminders: [] };

/** Reminders without who left them: that is in the record. */
export function tellingOf({ injections, reminders }: Effects): Telling {
  return { injections, reminders: reminders.map(({ spec }) => spec) };
}

function isFor({ to }: Left, app: string, session: string | undefined): boolean {
  return to.source.app === app && to.session?.id === session;
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
