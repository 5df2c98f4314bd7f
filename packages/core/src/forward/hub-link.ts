import { dirname } from "node:path";
import { messageOf } from "../bus/describe-error.js";
import type { EnvelopeSource } from "../catalog/envelope.js";
import { HookError } from "../catalog/errors.js";
import { type Frame, parseFrame } from "../wire/frames.js";
import { type ClientFrame, CONNECTION_VERSION, createNonce, isProof, MAX_LINE_BYTES, prove } from "../wire/hub-protocol.js";
import { Link } from "../wire/link.js";
import { checkSocketPath } from "../wire/socket-path.js";
import { systemTimers } from "../wire/timers.js";
import type { HubFile } from "./parse-hub-file.js";

export interface HubLinkEvents {
  /** The hub has proved itself and takes us. */
  up(welcome: Frame): void;
  /** Every frame after that. */
  frame(frame: Frame): void;
  /** It could not be made, or is lost. Comes once, and nothing after it. */
  gone(failure: LinkFailure): void;
}

/** The process that logs in. */
export interface LinkClient {
  readonly source: EnvelopeSource;
  readonly spool?: string;
}

/** Why there is no link: as an error to report, and as words for another sentence. */
export interface LinkFailure {
  readonly error: HookError;
  readonly why: string;
}

/** How long the other side has to prove itself, and then to take us. */
const STEP_MS = 5_000;

/** One connection to a hub. Nothing but a random number goes to a peer that has not proved itself. */
export class HubLink {
  readonly file: HubFile;
  /** Why the hub said goodbye, if it did. */
  bye: string | undefined;
  isUp = false;
  readonly #link: Link;
  readonly #client: LinkClient;
  readonly #events: HubLinkEvents;
  readonly #nonce = createNonce();
  #step: "hello" | "login" | "up" = "hello";
  #cancelStep: () => void;
  #failure: LinkFailure | undefined;
  #taken = -1;

  constructor(file: HubFile, client: LinkClient, events: HubLinkEvents) {
    checkSocketPath(file.line);
    this.file = file;
    this.#client = client;
    this.#events = events;
    const settings = { address: { path: file.line }, connectTimeoutMs: STEP_MS, maxFrameBytes: MAX_LINE_BYTES, timers: systemTimers };
    this.#cancelStep = systemTimers.after(STEP_MS, () => this.#fail(this.#unproven(`has not proved itself for ${STEP_MS} ms`)));
    this.#link = new Link(settings, {
      up: () => this.#send({ type: "hello", v: CONNECTION_VERSION, nonce: this.#nonce }),
      line: (line) => this.#readSafely(line),
      fault: (fault) => this.#fail(unreachable(file.line, `it sent a line that is not a frame (${fault})`)),
      gone: (cause) => this.#gone(unreachable(file.line, whyLost(file.line, cause), cause)),
    });
    this.#link.socket.unref();
  }

  /** Gives whether there is room for more. */
  write(text: string): boolean {
    return this.#link.socket.write(text);
  }

  /** Bytes the kernel has not taken yet. */
  get unwritten(): number {
    return this.#link.socket.writableLength;
  }

  /** Whether the kernel has taken nothing since the last look, though something waits. */
  isStuck(): boolean {
    const { bytesWritten, writableLength } = this.#link.socket;
    const taken = bytesWritten - writableLength;
    const isStuck = writableLength > 0 && taken === this.#taken;
    this.#taken = taken;
    return isStuck;
  }

  onDrain(call: () => void): void {
    this.#link.socket.on("drain", call);
  }

  /** Ends it from our side; `gone` is told. */
  drop(why: string): void {
    this.#fail(unreachable(this.file.line, why));
  }

  #send(frame: ClientFrame): void {
    this.write(`${JSON.stringify(frame)}\n`);
  }

  // It runs inside a socket's event, where an exception would end the process.
  #readSafely(line: string): void {
    try {
      this.#read(line);
    } catch (cause) {
      this.#fail(unreachable(this.file.line, `what it sent could not be dealt with: ${messageOf(cause)}`, cause));
    }
  }

  #read(line: string): void {
    const frame = parseFrame(line);
    if (typeof frame === "string") return this.#fail(this.#strange(`sent a line that is not a frame (${frame})`));
    if (frame.type === "bye") {
      this.bye = String(frame.reason);
      return this.#fail(unreachable(this.file.line, this.#goodbye(this.bye)));
    }
    if (this.#step === "up") return this.#events.frame(frame);
    if (this.#step === "hello") return this.#login(frame);
    this.#welcome(frame);
  }

  #login({ type, instance, proof, nonce }: Frame): void {
    const { token, instance: expected } = this.file;
    if (type !== "proof" || instance !== expected || typeof nonce !== "string" || nonce.length > 256)
      return this.#fail(this.#unproven("gave no proof"));
    if (!isProof(proof, prove(token, "hub", expected, this.#nonce))) return this.#fail(this.#unproven("gave a wrong proof"));
    this.#step = "login";
    this.#cancelStep();
    this.#cancelStep = systemTimers.after(STEP_MS, () => this.drop(`the hub did not take us within ${STEP_MS} ms`));
    const { source, spool } = this.#client;
    const proofOfOurs = prove(token, "client", expected, nonce);
    this.#send({ type: "login", proof: proofOfOurs, source, ...(spool !== undefined && { spool }), ...workingFolder() });
  }

  #welcome(frame: Frame): void {
    if (frame.type !== "welcome" || frame.instance !== this.file.instance)
      return this.#fail(unreachable(this.file.line, "the hub answered the login with something else"));
    this.#step = "up";
    this.isUp = true;
    this.#cancelStep();
    this.#events.up(frame);
  }

  #goodbye(reason: string): string {
    if (reason !== "name") return `the hub said goodbye (${reason.slice(0, 40)})`;
    return `the hub refuses the name "${this.#client.source.app}", which looks like that of an agent or of the hub, or has invisible characters`;
  }

  #strange(how: string): LinkFailure {
    return this.#step === "hello" ? this.#unproven(how) : unreachable(this.file.line, `the hub ${how}`);
  }

  #unproven(how: string): LinkFailure {
    const why = `the process that listens on "${this.file.line}" ${how}`;
    const message = `No event goes to the hub, because ${why}.`;
    return { why, error: new HookError("HL_HUB_UNPROVEN", message, { fix: { run: "hookline status" }, failure: "untrusted" }) };
  }

  #fail(failure: LinkFailure): void {
    this.#failure ??= failure;
    this.#link.fail(failure.why);
  }

  #gone(failure: LinkFailure): void {
    this.isUp = false;
    this.#cancelStep();
    this.#events.gone(this.#failure ?? failure);
  }
}

/** `why` has no full stop. */
export function unreachable(where: string, why: string, cause?: unknown): LinkFailure {
  const message = `No connection to the hub on "${where}": ${why}. Events wait.`;
  return { why, error: new HookError("HL_HUB_UNREACHABLE", message, { fix: { run: "hookline status" }, failure: "crash", cause }) };
}

/** What a process in a container, or one that starts after a kill or a reboot, has to know. */
function whyLost(path: string, { message, cause }: HookError): string {
  const { code } = Object(cause) as { readonly code?: unknown };
  if (code === "ECONNREFUSED") return `no process listens on "${path}"`;
  if (code === "EACCES" || code === "EPERM") return `this user may not open "${path}"`;
  if (code !== "ENOENT") return (cause === undefined ? message : messageOf(cause)).replace(/\.$/, "");
  return `"${path}" does not exist. In a container, mount the folder "${dirname(path)}" at the same path; elsewhere the hub was killed`;
}

/** Nothing where the folder has been removed under us. */
function workingFolder(): { readonly cwd?: string } {
  try {
    return { cwd: process.cwd() };
  } catch {
    return {};
  }
}
