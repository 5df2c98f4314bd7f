import { asHookError, messageOf } from "../bus/describe-error.js";
import type { EnvelopeSource } from "../catalog/envelope.js";
import { HookError } from "../catalog/errors.js";
import type { Frame } from "../sinks/unix-socket/frames.js";
import { backoffDelay } from "../sinks/unix-socket/timing.js";
import { type HubState, readHubFile } from "./hub-file.js";
import { HubLink, unreachable } from "./hub-link.js";
import { type HubWatch, watchHubFile } from "./watch-hub-file.js";

export interface DialerOptions {
  readonly folder: string;
  readonly source: EnvelopeSource;
  readonly report: (error: HookError) => void;
  /** There is a hub, for the first time. */
  seen(): void;
  up(link: HubLink, welcome: Frame): void;
  frame(link: HubLink, frame: Frame): void;
  /** A link that was up is lost. */
  down(): void;
}

/** A link that stood for less may belong to a hub that falls over at once: the pauses go on growing. */
const STEADY_MS = 1_000;
/** What follows a hub that has no room: it will not have any a moment later. */
const BUSY_FAILURES = 4;
/** A hub that starts or ends is away for a moment; that is nothing to report. */
const QUIET_FAILURES = 3;

/** Keeps a link to the hub of a folder, whichever that is, for as long as there is one. */
export class HubDialer {
  readonly #options: DialerOptions;
  #watch: HubWatch | undefined;
  #link: HubLink | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #upAt = 0;
  #hasSeen = false;
  #isClosed = false;

  constructor(options: DialerOptions) {
    this.#options = options;
    this.#watch = watchHubFile(options.folder, (state) => this.#changed(state));
    this.#changed(this.#watch.state);
  }

  get state(): "waiting" | "connecting" | "attached" {
    if (this.#link !== undefined) return this.#link.isUp ? "attached" : "connecting";
    return this.#timer === undefined ? "waiting" : "connecting";
  }

  /** The hub takes what it is sent: from now on a loss is a new one. */
  progressed(): void {
    this.#failures = 0;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watch?.close();
    this.#link?.drop("it was closed here.");
  }

  #changed(state: HubState): void {
    if (state.state === "foreign") this.#options.report(foreign(this.#options.folder, state.reason));
    if (state.state !== "running") return;
    if (!this.#hasSeen) {
      this.#hasSeen = true;
      this.#options.seen();
    }
    const { file } = state;
    // A new token of the same hub ends the link from the hub's side.
    if (this.#link?.isUp && this.#link.file.instance === file.instance) return;
    this.#failures = 0;
    if (this.#link === undefined) this.#dial();
    else if (this.#link.file.instance !== file.instance || this.#link.file.token !== file.token) this.#link.drop("there is a new hub.");
  }

  #dial(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isClosed || this.#link !== undefined) return;
    const found = readHubFile(this.#options.folder);
    // The watch tells when it changes; until it has seen that there is none, the next look is ours.
    if (found.state !== "running") return this.#watch?.state.state === "running" ? this.#again() : undefined;
    try {
      const link: HubLink = new HubLink(found.file, this.#options.source, {
        up: (welcome) => this.#up(link, welcome),
        frame: (frame) => this.#options.frame(link, frame),
        gone: (cause) => this.#gone(link, cause),
      });
      this.#link = link;
    } catch (cause) {
      this.#failed(asHookError(cause) ?? unreachable(found.file.line, `${messageOf(cause)}.`, cause));
    }
  }

  #up(link: HubLink, welcome: Frame): void {
    this.#upAt = performance.now();
    this.#options.up(link, welcome);
  }

  #gone(link: HubLink, cause: HookError): void {
    const wasUp = this.#upAt > 0;
    if (wasUp && performance.now() - this.#upAt >= STEADY_MS) this.#failures = 0;
    this.#upAt = 0;
    this.#link = undefined;
    if (wasUp) this.#options.down();
    if (this.#isClosed) return;
    if (link.bye === "disk_full" || link.bye === "overloaded") this.#failures = Math.max(this.#failures, BUSY_FAILURES);
    // Whoever had an old token is not to be called a cheat.
    if (this.#isOutdated(link)) return this.#again();
    this.#failed(cause);
  }

  #isOutdated({ file }: HubLink): boolean {
    const now = readHubFile(this.#options.folder);
    return now.state !== "running" || now.file.token !== file.token || now.file.instance !== file.instance;
  }

  #failed(cause: HookError): void {
    if (cause.code !== "HL_HUB_UNREACHABLE" || this.#failures >= QUIET_FAILURES) this.#options.report(cause);
    this.#again();
  }

  #again(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#dial(), backoffDelay(this.#failures++, Math.random)).unref();
  }
}

function foreign(folder: string, reason: string): HookError {
  return new HookError("HL_HUB_FOREIGN", `The hub.json in "${folder}" is not followed: ${reason}.`, { failure: "untrusted" });
}
