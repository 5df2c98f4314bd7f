import { Page } from "./page.js";

/** The pages of the book, least recently used first. A session without reminders has none. */
export class Sessions {
  readonly #pages = new Map<string, Page>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#pages.size;
  }

  pages(): IterableIterator<Page> {
    return this.#pages.values();
  }

  /** Looks without counting as a use. */
  peek(session: string): Page | undefined {
    return this.#pages.get(session);
  }

  use(session: string): Page | undefined {
    const page = this.#pages.get(session);
    if (page !== undefined) this.#moveToEnd(session, page);
    return page;
  }

  /** The session's page, and the one that had to go for it. */
  open(session: string): { readonly page: Page; readonly evicted: Page | undefined } {
    const known = this.use(session);
    if (known !== undefined) return { page: known, evicted: undefined };
    const evicted = this.#pages.size < this.#max ? undefined : this.#evict();
    const page = new Page();
    this.#pages.set(session, page);
    return { page, evicted };
  }

  close(session: string): void {
    this.#pages.delete(session);
  }

  closeIfEmpty(session: string): void {
    if (this.#pages.get(session)?.size === 0) this.#pages.delete(session);
  }

  #moveToEnd(session: string, page: Page): void {
    this.#pages.delete(session);
    this.#pages.set(session, page);
  }

  #evict(): Page | undefined {
    const [oldest] = this.#pages;
    if (oldest === undefined) return undefined;
    this.#pages.delete(oldest[0]);
    return oldest[1];
  }
}
