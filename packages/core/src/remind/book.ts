import { callback, checkOptions, oneOf, positiveCount, type Rules } from "../bus/option-rules.js";
import type { ReminderSpec } from "../catalog/reminder.js";
import { Audit, type ChangeListener } from "./audit.js";
import { type Entry, heirOf, readEntry, sessionKey } from "./entry.js";
import { renderReminders, roleOf } from "./render.js";
import type { SessionReminders } from "./session-reminders.js";
import { Sessions } from "./sessions.js";
import type {
  DropReason,
  ReminderBook,
  ReminderBookOptions,
  ReminderBookStats,
  ReminderChange,
  ReminderContext,
  ReminderRecord,
  RenderOptions,
  SessionLike,
} from "./types.js";

/** A book of reminders for `createBus({ reminders: book })`; the host ends turns and puts `book.render(session)` at the end of the prompt. */
export function createReminderBook(options: ReminderBookOptions = {}): ReminderBook {
  return new Book(readBookOptions(options));
}

// Each method changes the book first and tells afterwards: a listener always finds it consistent, and may change it again.
class Book implements ReminderBook {
  readonly #sessions: Sessions;
  readonly #audit: Audit;
  readonly #maxPerSession: number;
  readonly #dropped: Record<DropReason, number> = { limit: 0, session_limit: 0, compacted: 0, forgotten: 0 };
  #lastId = 0;

  constructor(settings: BookSettings) {
    this.#sessions = new Sessions(settings.maxSessions);
    this.#audit = new Audit(settings.onError);
    this.#maxPerSession = settings.maxPerSession;
  }

  add(spec: ReminderSpec, context: ReminderContext = {}): ReminderRecord {
    const entry = readEntry(spec, context);
    const twin = this.#sessions.peek(entry.session)?.withKey(entry.spec.dedupeKey);
    const changes: ReminderChange[] = [];
    const held = this.#open(entry.session, changes);
    const reminder = twin === undefined ? this.#insert(held, { ...entry, count: 1 }, changes) : replace(held, twin, entry);
    changes.push({ change: twin === undefined ? "injected" : "deduped", reminder });
    this.#audit.tell(changes);
    return reminder;
  }

  turnEnded(session?: SessionLike): void {
    const key = sessionKey(session);
    const expired = this.#sessions.use(key)?.endTurn() ?? [];
    this.#sessions.closeIfEmpty(key);
    this.#audit.tell(expired.map((reminder) => ({ change: "expired", reminder })));
  }

  compacted(session?: SessionLike): void {
    const key = sessionKey(session);
    const lost = this.#sessions.use(key)?.compact() ?? [];
    this.#sessions.closeIfEmpty(key);
    this.#audit.tell(this.#drop(lost, "compacted"));
  }

  inherit(parent: SessionLike, child: SessionLike): void {
    const [from, to] = [sessionKey(parent), sessionKey(child)];
    if (from === to) return;
    const heirs = this.#heirs(from, to);
    if (heirs.length === 0) return;
    const changes: ReminderChange[] = [];
    const held = this.#open(to, changes);
    for (const heir of heirs) changes.push({ change: "inherited", reminder: this.#insert(held, heir, changes) });
    this.#audit.tell(changes);
  }

  revoke(id: string): boolean {
    for (const held of this.#sessions.values()) {
      const reminder = held.remove(id);
      if (reminder === undefined) continue;
      this.#sessions.closeIfEmpty(reminder.session);
      this.#audit.tell([{ change: "revoked", reminder }]);
      return true;
    }
    return false;
  }

  forget(session?: SessionLike): void {
    const key = sessionKey(session);
    const lost = this.#sessions.peek(key)?.list() ?? [];
    this.#sessions.close(key);
    this.#audit.tell(this.#drop(lost, "forgotten"));
  }

  list(session?: SessionLike): readonly ReminderRecord[] {
    if (session === undefined) return [...this.#sessions.values()].flatMap((held) => held.list());
    return this.#sessions.peek(sessionKey(session))?.list() ?? [];
  }

  render(session?: SessionLike, options: RenderOptions = {}): string {
    const role = readRole(options);
    const held = this.#sessions.use(sessionKey(session));
    if (held === undefined) return "";
    const shown = held.list().filter(({ spec }) => spec.auditOnly !== true && (role === undefined || roleOf(spec) === role));
    this.#audit.tell(held.fire(shown).map((reminder) => ({ change: "fired", reminder })));
    return renderReminders(shown);
  }

  stats(): ReminderBookStats {
    return { sessions: this.#sessions.size, reminders: this.list().length, dropped: { ...this.#dropped }, untold: this.#audit.untold };
  }

  attach(emit: (event: string, payload: { readonly [key: string]: unknown }) => void): void {
    this.#audit.listen(({ change, ...details }) => {
      const { session } = details.reminder;
      return emit(`reminder:${change}`, session === "" ? details : { session: { id: session }, ...details });
    });
  }

  onChange(listener: ChangeListener): () => void {
    return this.#audit.listen(listener);
  }

  #open(session: string, changes: ReminderChange[]): SessionReminders {
    const { held, evicted } = this.#sessions.open(session);
    for (const change of this.#drop(evicted?.list() ?? [], "session_limit")) changes.push(change);
    return held;
  }

  #insert(held: SessionReminders, record: Omit<ReminderRecord, "id">, changes: ReminderChange[]): ReminderRecord {
    const oldest = held.size < this.#maxPerSession ? undefined : held.removeOldest();
    if (oldest !== undefined) changes.push(...this.#drop([oldest], "limit"));
    return held.put({ id: `r${++this.#lastId}`, ...record });
  }

  #heirs(from: string, to: string): Omit<ReminderRecord, "id">[] {
    const known = this.#sessions.peek(to);
    return (this.#sessions.use(from)?.list() ?? [])
      .filter(({ id, spec }) => known === undefined || (!known.hasCopyOf(id) && known.withKey(spec.dedupeKey) === undefined))
      .flatMap((record) => heirOf(record, to) ?? []);
  }

  #drop(lost: readonly ReminderRecord[], reason: DropReason): ReminderChange[] {
    this.#dropped[reason] += lost.length;
    return lost.map((reminder) => ({ change: "dropped", reminder, reason }));
  }
}

// It is now the session's own, wherever the one before came from.
function replace(held: SessionReminders, twin: ReminderRecord, entry: Entry): ReminderRecord {
  return held.put({ id: twin.id, ...entry, count: twin.count + 1 });
}

type BookSettings = Required<ReminderBookOptions>;
type Role = NonNullable<RenderOptions["roleHint"]>;

/** The options with their defaults; throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION`. */
function readBookOptions(options: ReminderBookOptions): BookSettings {
  const { maxPerSession = 100, maxSessions = 1000, onError = printError } = checkOptions("createReminderBook", options, bookRules);
  return { maxPerSession, maxSessions, onError };
}

/** The role to render; a misspelled one would silently render nothing, so it throws. */
function readRole(options: RenderOptions): Role | undefined {
  return checkOptions("render", options, renderRules).roleHint;
}

const bookRules: Rules<ReminderBookOptions> = { maxPerSession: positiveCount, maxSessions: positiveCount, onError: callback };
const renderRules: Rules<RenderOptions> = { roleHint: oneOf("system", "developer", "user_block", "ephemeral_cache") };

function printError(error: Error): void {
  console.error(`hookline: ${error.message}`, error.cause);
}
