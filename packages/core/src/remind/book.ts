import type { ReminderSpec } from "../catalog/reminder.js";
import { Audit, type ChangeListener } from "./audit.js";
import { type Entry, heirOf, readEntry, sessionKey } from "./entry.js";
import { type BookSettings, readBookOptions, readRole } from "./options.js";
import type { Page } from "./page.js";
import { renderReminders, roleOf } from "./render.js";
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
    const page = this.#open(entry.session, changes);
    const reminder = twin === undefined ? this.#insert(page, { ...entry, count: 1 }, changes) : replace(page, twin, entry);
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
    const page = this.#open(to, changes);
    for (const heir of heirs) changes.push({ change: "inherited", reminder: this.#insert(page, heir, changes) });
    this.#audit.tell(changes);
  }

  revoke(id: string): boolean {
    for (const page of this.#sessions.pages()) {
      const reminder = page.remove(id);
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
    if (session === undefined) return [...this.#sessions.pages()].flatMap((page) => page.list());
    return this.#sessions.peek(sessionKey(session))?.list() ?? [];
  }

  render(session?: SessionLike, options: RenderOptions = {}): string {
    const role = readRole(options);
    const page = this.#sessions.use(sessionKey(session));
    if (page === undefined) return "";
    const shown = page.list().filter(({ spec }) => spec.auditOnly !== true && (role === undefined || roleOf(spec) === role));
    this.#audit.tell(page.fire(shown).map((reminder) => ({ change: "fired", reminder })));
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

  #open(session: string, changes: ReminderChange[]): Page {
    const { page, evicted } = this.#sessions.open(session);
    for (const change of this.#drop(evicted?.list() ?? [], "session_limit")) changes.push(change);
    return page;
  }

  #insert(page: Page, record: Omit<ReminderRecord, "id">, changes: ReminderChange[]): ReminderRecord {
    const oldest = page.size < this.#maxPerSession ? undefined : page.removeOldest();
    if (oldest !== undefined) changes.push(...this.#drop([oldest], "limit"));
    return page.put({ id: `r${++this.#lastId}`, ...record });
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
function replace(page: Page, twin: ReminderRecord, entry: Entry): ReminderRecord {
  return page.put({ id: twin.id, ...entry, count: twin.count + 1 });
}
