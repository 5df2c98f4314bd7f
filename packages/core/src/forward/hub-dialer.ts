import { join } from "node:path";
import { asHookError, messageOf } from "../bus/describe-error.js";
import type { EnvelopeSource } from "../catalog/envelope.js";
import { HookError, withFix } from "../catalog/errors.js";
import type { TrustFault } from "../machine/state-folder.js";
import { backoffDelay } from "../wire/backoff.js";
import type { Frame } from "../wire/frames.js";
import { GATES_FILE } from "./gates-file.js";
import { HUB_FILE, readHubFile } from "./hub-file.js";
import { HubLink, type LinkFailure, unreachable } from "./hub-link.js";
import type { HubSighting } from "./watch-hub-file.js";
import { type HubWatch, watchHubFile } from "./watch-hub-file.js";

export interface DialerOptions {
  readonly folder: string;
  readonly source: EnvelopeSource;
  /** The id of the spool's writer whose files hold nothing that the line does not bring. */
  readonly spool?: string;
  readonly report: (error: HookError) => void;
  /** What the folder says of a hub: at the start, and whenever it changes. */
  sighted(sighting: HubSighting): void;
  up(link: HubLink, welcome: Frame): void;
  frame(link: HubLink, frame: Frame): void;
  /** A link that was up is lost. */
  down(): void;
}

/** A link that stood for less may belong to a hub that falls over at once: the pauses go on growing. */
const STEADY_MS = 1_000;
/** What follows a hub that has no room: it will not have any a moment later. */
const BUSY_FAILURES = 4;
/** A hub that restarts is away for a moment; a process that was attached does not report that. */
const QUIET_FAILURES = 3;

/** Keeps a link to the hub of a folder, whichever that is, for as long as there is one. */
export class HubDialer {
  readonly #options: DialerOptions;
  readonly #watch: HubWatch;
  #link: HubLink | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #dialledAt = 0;
  #upAt = 0;
  /** Whether any link has been up: until then the first failure is reported. */
  #hasBeenUp = false;
  #why = "";
  #isClosed = false;

  constructor(options: DialerOptions) {
    this.#options = options;
    this.#watch = watchHubFile(options.folder, (sighting) => this.#changed(sighting));
    const { sighting } = this.#watch;
    this.#changed(sighting);
    if (sighting.hub.state === "none") options.report(noHub(options.folder));
  }

  get state(): "waiting" | "connecting" | "attached" {
    if (this.#link !== undefined) return this.#link.isUp ? "attached" : "connecting";
    return this.#timer === undefined ? "waiting" : "connecting";
  }

  /** What the folder said when it was last looked at. */
  get sighting(): HubSighting {
    return this.#watch.sighting;
  }

  /** How long the try that is under way has lasted; infinite while there is none. */
  get tryingMs(): number {
    return this.#link === undefined ? Number.POSITIVE_INFINITY : performance.now() - this.#dialledAt;
  }

  /** Why there is no link, in words without a full stop. */
  get why(): string {
    const { hub } = this.sighting;
    if ("reason" in hub) return withFix(notFollowed(this.#options.folder, HUB_FILE, hub), hub.fix);
    if (hub.state === "none") return "there is no hub";
    return this.#why === "" ? `the hub on "${hub.file.line}" has not proved itself yet` : this.#why;
  }

  /** The hub takes what it is sent: from now on a loss is a new one. */
  progressed(): void {
    this.#failures = 0;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watch.close();
    this.#link?.drop("it was closed here");
  }

  #changed(sighting: HubSighting): void {
    const { hub } = sighting;
    this.#why = "";
    this.#options.sighted(sighting);
    this.#reportFaults(sighting);
    if (hub.state !== "found") return;
    const { file } = hub;
    // A new token of the same hub ends the link from the hub's side.
    if (this.#link?.isUp && this.#link.file.instance === file.instance) return;
    this.#failures = 0;
    if (this.#link === undefined) this.#dial();
    else if (this.#link.file.instance !== file.instance || this.#link.file.token !== file.token) this.#link.drop("there is a new hub");
  }

  /** A file that is not followed is never passed over in silence. */
  #reportFaults({ hub, gates }: HubSighting): void {
    const { folder, report } = this.#options;
    if (hub.state === "foreign") report(unusable("HL_HUB_FOREIGN", notFollowed(folder, HUB_FILE, hub), hub));
    else if (hub.state === "broken") report(unusable("HL_HUB_FILE", notFollowed(folder, HUB_FILE, hub), hub));
    else if ("reason" in gates) report(unusable("HL_GATES_FILE", notFollowed(folder, GATES_FILE, gates), gates));
    else if (hub.state === "found" && gates.state === "none")
      report(unusable("HL_GATES_FILE", `"${join(folder, GATES_FILE)}" is missing, though there is a ${HUB_FILE}`));
  }

  #dial(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isClosed || this.#link !== undefined) return;
    const found = readHubFile(this.#options.folder);
    // The watch tells when it changes; until it has seen that there is none, the next look is ours.
    if (found.state !== "found") return this.#watch.sighting.hub.state === "found" ? this.#again() : undefined;
    this.#dialledAt = performance.now();
    try {
      const link: HubLink = new HubLink(found.file, this.#options, {
        up: (welcome) => this.#up(link, welcome),
        frame: (frame) => this.#options.frame(link, frame),
        gone: (failure) => this.#gone(link, failure),
      });
      this.#link = link;
    } catch (cause) {
      const known = asHookError(cause);
      const why = messageOf(cause).replace(/\.$/, "");
      this.#failed(known === undefined ? unreachable(found.file.line, why, cause) : { error: known, why });
    }
  }

  #up(link: HubLink, welcome: Frame): void {
    this.#upAt = performance.now();
    this.#hasBeenUp = true;
    this.#why = "";
    this.#options.up(link, welcome);
  }

  #gone(link: HubLink, failure: LinkFailure): void {
    const wasUp = this.#upAt > 0;
    if (wasUp && performance.now() - this.#upAt >= STEADY_MS) this.#failures = 0;
    this.#upAt = 0;
    this.#link = undefined;
    if (wasUp) this.#options.down();
    if (this.#isClosed) return;
    if (link.bye === "disk_full" || link.bye === "overloaded") this.#failures = Math.max(this.#failures, BUSY_FAILURES);
    // A peer that was dialled with an old token is not an impostor: just dial again.
    if (this.#isOutdated(link)) return this.#again();
    this.#failed(failure);
  }

  #isOutdated({ file }: HubLink): boolean {
    const now = readHubFile(this.#options.folder);
    return now.state !== "found" || now.file.token !== file.token || now.file.instance !== file.instance;
  }

  #failed({ error, why }: LinkFailure): void {
    this.#why = why;
    const isPassing = error.code === "HL_HUB_UNREACHABLE" && this.#hasBeenUp && this.#failures < QUIET_FAILURES;
    if (!isPassing) this.#options.report(error);
    this.#again();
  }

  #again(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#dial(), backoffDelay(this.#failures++)).unref();
  }
}

/** Said once: from then on it is known that the hub comes later, or not at all. */
function noHub(folder: string): HookError {
  const message = `There is no hub in "${folder}". Until one starts, none of its guards is asked.`;
  return new HookError("HL_NO_HUB", message, { fix: { run: "hookline up" } });
}

function notFollowed(folder: string, name: string, { reason }: TrustFault): string {
  return `"${join(folder, name)}" is not followed: ${reason}`;
}

function unusable(code: "HL_HUB_FOREIGN" | "HL_HUB_FILE" | "HL_GATES_FILE", why: string, { fix }: Partial<TrustFault> = {}): HookError {
  return new HookError(code, `${why}. Closed gates deny until a hub has proved itself.`, {
    fix: fix ?? { run: "hookline doctor" },
    failure: "untrusted",
  });
}
