import type { ReminderRecord } from "./types.js";

/** One session's reminders, oldest first. Records are replaced, never changed, so a listener keeps the record that it received. */
export class SessionReminders {
  readonly #records = new Map<string, ReminderRecord>();
  readonly #firedThisTurn = new Set<string>();

  get size(): number {
    return this.#records.size;
  }

  list(): ReminderRecord[] {
    return [...this.#records.values()];
  }

  /** A record that is there already keeps its position, so that the rendered text moves as little as possible. */
  put(record: ReminderRecord): ReminderRecord {
    this.#records.set(record.id, Object.freeze(record));
    return record;
  }

  remove(id: string): ReminderRecord | undefined {
    const record = this.#records.get(id);
    this.#records.delete(id);
    this.#firedThisTurn.delete(id);
    return record;
  }

  removeOldest(): ReminderRecord | undefined {
    const [oldest] = this.#records.keys();
    return oldest === undefined ? undefined : this.remove(oldest);
  }

  withKey(dedupeKey: string | undefined): ReminderRecord | undefined {
    if (dedupeKey === undefined) return undefined;
    return this.list().find((record) => record.spec.dedupeKey === dedupeKey);
  }

  hasCopyOf(id: string): boolean {
    return this.list().some((record) => record.inheritedFrom === id);
  }

  /** Returns the expired, which are gone. */
  endTurn(): ReminderRecord[] {
    this.#firedThisTurn.clear();
    for (const record of this.list()) if (record.turnsLeft !== undefined) this.put({ ...record, turnsLeft: record.turnsLeft - 1 });
    return this.#removeAll(({ turnsLeft }) => turnsLeft === 0);
  }

  /** Returns those that did not survive. */
  compact(): ReminderRecord[] {
    return this.#removeAll(({ spec }) => spec.preserveOnCompact !== true);
  }

  /** Returns those that had not been shown in this turn. */
  fire(shown: readonly ReminderRecord[]): ReminderRecord[] {
    const fresh = shown.filter(({ id }) => !this.#firedThisTurn.has(id));
    for (const { id } of fresh) this.#firedThisTurn.add(id);
    return fresh;
  }

  #removeAll(isGone: (record: ReminderRecord) => boolean): ReminderRecord[] {
    const gone = this.list().filter(isGone);
    for (const { id } of gone) this.remove(id);
    return gone;
  }
}
