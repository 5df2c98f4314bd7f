import type { Listening } from "../lifecycle/listen-on-port.js";
import type { PageName } from "./page-name.js";

/** Where links to the page lead. */
export interface PageAddress {
  /** Told once, when the hub listens. */
  settle(where: Listening): void;
  url(): string;
  readonly names: () => readonly string[];
  /** Why the links have no name of the page's own. */
  note(): string | undefined;
  readonly replace: () => void;
}

/** By the page's own name where that leads to this hub for certain, else by the address. */
export function createPageAddress(name: PageName): PageAddress {
  let { url, foreign }: Pick<Listening, "url" | "foreign"> = { url: "", foreign: undefined };
  return {
    settle(where) {
      ({ url, foreign } = where);
      // Pages that are open by the name have sent their keys to whoever is there.
      if (where.hasMoved || foreign !== undefined) name.renew();
    },
    url: () => (foreign === undefined ? withName(url, name.all()[0] as string) : url),
    names: () => (foreign === undefined ? name.all() : []),
    note: () => (foreign === undefined ? undefined : describe(foreign)),
    replace: name.replace,
  };
}

function withName(url: string, name: string): string {
  const named = new URL(url);
  named.hostname = name;
  return named.origin;
}

function describe(foreign: string): string {
  return `Another program listens on ${foreign}, so links lead to the hub's plain address: what servers at that address leave in the browser is not kept apart from the page. With another port it is: hookline down, then hookline up --port <number>`;
}
