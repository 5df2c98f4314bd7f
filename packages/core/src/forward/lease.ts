import type { HookEvent } from "../bus/types.js";
import type { OutcomeKind } from "../catalog/events.js";
import type { Outcome } from "../catalog/outcomes.js";
import type { Frame } from "../wire/frames.js";
import type { PrefilterData } from "../wire/hub-protocol.js";
import type { HubLink } from "./hub-link.js";
import { Prefilter } from "./prefilter.js";

/** However long the hub says. */
const MAX_MS = 1_000;
/** How often a lease is renewed, and for how long after the last call. */
const RENEW_MS = 300;
const IDLE_MS = 60_000;
/** Sessions and folders that the hub was asked about. */
const MAX_PLACES = 1_000;

/**
 * The right to let calls pass that cannot concern the hub. It lasts a second from the moment it was requested, by the clock that runs and by the clock on
 * the wall: one of them stands still while the machine sleeps, the other can be set back. A process that was stopped finds it expired.
 */
export class Lease {
  #link: HubLink | undefined;
  #prefilter: Prefilter | undefined;
  #until = 0;
  #untilWall = 0;
  #requests = 0;
  #requestedAt = 0;
  #requestedAtWall = 0;
  #lastCallAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The hub notes which session is where when it is asked. */
  readonly #places = new Set<string>();
  #lastPlace: readonly unknown[] = [];

  attach(link: HubLink): void {
    this.#link = link;
    this.#places.clear();
    this.#lastPlace = [];
  }

  /** The link is lost, and with it the right. */
  detach(): void {
    this.#link = undefined;
    this.#drop();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The answer for a call that cannot concern the hub; nothing where the hub must be asked. */
  answer(event: HookEvent): readonly Outcome<OutcomeKind>[] | undefined {
    const prefilter = this.#prefilter;
    const now = performance.now();
    this.#lastCallAt = now;
    if (this.#timer === undefined) this.#begin();
    if (prefilter === undefined || now >= this.#until || Date.now() >= this.#untilWall) return undefined;
    return this.#isKnownPlace(event) && prefilter.passes(event) ? prefilter.pass : undefined;
  }

  /** The hub has answered a question about this event: it knows where the session is. */
  sawAnswer(event: HookEvent): void {
    if (this.#places.size >= MAX_PLACES) this.#places.clear();
    this.#places.add(placeOf(event));
  }

  /** A lease, or the end of one. */
  hear(frame: Frame): void {
    if (frame.type === "unlease") {
      this.#drop();
      this.#link?.write(`${JSON.stringify({ type: "unleased", version: frame.version })}\n`);
      return;
    }
    const { n, version, ms, prefilter } = frame;
    if (n !== this.#requests || typeof ms !== "number" || !(ms > 0)) return;
    if (prefilter !== undefined) this.#prefilter = compile(prefilter);
    if (this.#prefilter === undefined || this.#prefilter.version !== version) return this.#drop();
    const lasts = Math.min(ms, MAX_MS);
    this.#until = this.#requestedAt + lasts;
    this.#untilWall = this.#requestedAtWall + lasts;
  }

  #begin(): void {
    if (this.#link === undefined) return;
    this.#timer = setInterval(() => this.#request(), RENEW_MS).unref();
    this.#request();
  }

  /** It begins when it is requested and not when the answer comes: that may have waited in the socket for long. */
  #request(): void {
    const now = performance.now();
    if (now - this.#lastCallAt > IDLE_MS || this.#link === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#requestedAt = now;
    this.#requestedAtWall = Date.now();
    const version = this.#prefilter?.version;
    this.#link.write(`${JSON.stringify({ type: "lease", n: ++this.#requests, ...(version !== undefined && { version }) })}\n`);
  }

  #drop(): void {
    this.#until = 0;
    this.#prefilter = undefined;
    // An answer that is on its way no longer counts.
    this.#requests++;
  }

  #isKnownPlace(event: HookEvent): boolean {
    const { session, payload } = event;
    const [id, parentId, cwd] = this.#lastPlace;
    const now = (payload as { readonly cwd?: unknown }).cwd;
    if (this.#lastPlace.length > 0 && id === session?.id && parentId === session?.parentId && cwd === now) return true;
    if (!this.#places.has(placeOf(event))) return false;
    this.#lastPlace = [session?.id, session?.parentId, now];
    return true;
  }
}

function placeOf({ session, payload }: HookEvent): string {
  const { cwd } = payload as { readonly cwd?: unknown };
  return JSON.stringify([session?.id, session?.parentId, typeof cwd === "string" ? cwd : null]);
}

/** Nothing for what cannot be understood: then the hub is asked. */
function compile(given: unknown): Prefilter | undefined {
  try {
    return new Prefilter(given as PrefilterData);
  } catch {
    return undefined;
  }
}
