import { SessionReminders } from "./session-reminders.js";

/** The reminders by session, the least recently used session first. A session without reminders is not kept. */
export class Sessions {
  readonly #sessions = new Map<string, SessionReminders>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#sessions.size;
  }

  values(): IterableIterator<SessionReminders> {
    return this.#sessions.values();
  }

  /** Looks without counting as a use. */
  peek(session: string): SessionReminders | undefined {
    return this.#sessions.get(session);
  }

  use(session: string): SessionReminders | undefined {
    const held = this.#sessions.get(session);
    if (held !== undefined) this.#moveToEnd(session, held);
    return held;
  }

  /** The session's reminders, and those of the session that was removed to make room. */
  open(session: string): { readonly held: SessionReminders; readonly evicted: SessionReminders | undefined } {
    const known = this.use(session);
    if (known !== undefined) return { held: known, evicted: undefined };
    const evicted = this.#sessions.size < this.#max ? undefined : this.#evict();
    const held = new SessionReminders();
    this.#sessions.set(session, held);
    return { held, evicted };
  }

  close(session: string): void {
    this.#sessions.delete(session);
  }

  closeIfEmpty(session: string): void {
    if (this.#sessions.get(session)?.size === 0) this.#sessions.delete(session);
  }

  #moveToEnd(session: string, held: SessionReminders): void {
    this.#sessions.delete(session);
    this.#sessions.set(session, held);
  }

  #evict(): SessionReminders | undefined {
    const [oldest] = this.#sessions;
    if (oldest === undefined) return undefined;
    this.#sessions.delete(oldest[0]);
    return oldest[1];
  }
}
