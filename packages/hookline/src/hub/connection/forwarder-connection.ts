import type { Socket } from "node:net";
import { HookError } from "@hookline/core";
import { withheld } from "@hookline/core/internal";
import {
  type ByeReason,
  ENVELOPE_START,
  type ForwarderCounters,
  type HubFrame,
  type HubVerdictFrame,
  type LineFault,
  LineReader,
  MAX_LINE_BYTES,
  type TransformedFrame,
} from "@hookline/core/internal/wire";
import type { EnvelopeSource } from "@hookline/core/sinks";
import type { EffectsLine } from "../effects/session-effects.js";
import type { LeaseLine } from "../gates/leases.js";
import { isRefusal } from "../ingest/accept.js";
import { isDeeperThan, JUDGED_LIMITS, measureJson, tooMuchText } from "../ingest/json-shape.js";
import { identified, type Origin, openOrigin, userIn } from "../ingest/origins.js";
import type { HubParts, SourceRow } from "../parts.js";
import type { HandlerRow } from "../protocol.js";
import { createApprovalQuestions } from "./approval-questions.js";
import { createGateQuestions, refusalFrame } from "./gate-questions.js";
import { createHandlerReports } from "./handler-reports.js";
import { createHandshake } from "./handshake.js";
import { createIntake } from "./intake.js";
import { afterReading } from "./reading-time.js";
import type { Sequences } from "./sequence.js";

export interface SessionContext {
  readonly parts: Pick<HubParts, "instance" | "ingest" | "gates" | "tokens" | "approvals" | "effects">;
  readonly sequences: Sequences;
  /** How long a client may take to show that it knows the token. */
  readonly loginMs: number;
  /** The process that is connected as an instance, as `Origin.owner`. */
  readonly ownerOf: (instance: string) => string | undefined;
  /** It has shown that it knows the token. */
  readonly onLogin: () => void;
  readonly onOver: (session: ForwarderConnection) => void;
}

/** A login needs no more than this. */
const MAX_GREETING_BYTES = 64 * 1024;
/** A client that reads nothing of what it is told is let go. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** One forwarder on the line, from its first byte to its last event on disk. */
export class ForwarderConnection {
  readonly connectedAt = new Date().toISOString();
  source: EnvelopeSource | undefined;
  cwd: string | undefined;
  /** The writer of the spool whose events this line brings. */
  spool: string | undefined;
  /** Where its events come from; its process is known a little after the login. */
  origin: Origin | undefined;
  readonly #socket: Socket;
  readonly #context: SessionContext;
  readonly #reader: LineReader;
  readonly #handshake: ReturnType<typeof createHandshake>;
  readonly #intake: ReturnType<typeof createIntake>;
  readonly #gateQuestions: ReturnType<typeof createGateQuestions>;
  readonly #approvals: ReturnType<typeof createApprovalQuestions>;
  #lease: LeaseLine | undefined;
  readonly #stopDeadline: () => void;
  #greeting = 0;
  #lines = 0;
  #settled = 0;
  #counters: ForwarderCounters | undefined;
  #lastEventAt: string | undefined;
  #isOver = false;
  #effects: EffectsLine | undefined;
  readonly #reports = createHandlerReports(() => this.tell({ type: "report" }));

  constructor(socket: Socket, context: SessionContext) {
    const { parts, loginMs } = context;
    this.#socket = socket;
    this.#context = context;
    this.#handshake = createHandshake(parts.instance, () => parts.tokens.agent);
    this.#reader = new LineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine: (line) => this.#isOver || this.#hear(line),
      onFault: (fault, head) => this.#fault(fault, head),
    });
    this.#intake = createIntake({
      ingest: parts.ingest,
      onSettled: (count) => this.#settle(count),
      onFailed: (error) => this.bye(error instanceof HookError && error.code === "HL_DISK_FULL" ? "disk_full" : "overloaded"),
      onPressure: (isHigh) => (isHigh ? socket.pause() : socket.resume()),
    });
    this.#gateQuestions = createGateQuestions(parts.gates, (frame) => this.tell(frame));
    this.#approvals = createApprovalQuestions(parts.approvals, (frame) => this.tell(frame));
    this.#stopDeadline = afterReading(loginMs, () => this.bye("protocol"));
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", () => this.#end());
    socket.on("close", () => this.#end());
  }

  get row(): SourceRow | undefined {
    const { source } = this;
    if (source === undefined) return undefined;
    const gaps = this.#context.sequences.gapsOf(source.instance);
    return {
      source,
      cwd: this.cwd,
      connectedAt: this.connectedAt,
      received: this.#lines,
      counters: this.#counters,
      gaps,
      lastEventAt: this.#lastEventAt,
      ...(this.origin?.description.process !== undefined && { peer: this.origin.description.process }),
    };
  }

  /** What is registered in it; nothing when it does not say. */
  handlers(): Promise<readonly HandlerRow[] | undefined> {
    return this.#isOver ? Promise.resolve(undefined) : this.#reports.ask();
  }

  tell(frame: HubFrame): void {
    if (this.#isOver) return;
    const text = JSON.stringify(frame);
    // A line that its reader cannot take would cost it the connection, and everything else that waits on it.
    if (text.length > MAX_LINE_BYTES / 4 && Buffer.byteLength(text) >= MAX_LINE_BYTES) {
      if (frame.type === "verdict") return this.tell(shorter(frame));
      if (frame.type === "transformed") return this.tell(withoutValue(frame));
    }
    this.#socket.write(`${text}\n`);
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#socket.destroy();
  }

  /** The last word. What has been read is still stored; what was not acknowledged will be sent again. */
  bye(reason: ByeReason): void {
    this.tell({ type: "bye", reason });
    this.#end();
    this.#socket.end();
    // A peer that does not close its side must not stay.
    setTimeout(() => this.#socket.destroy(), 1_000).unref();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopDeadline();
    this.#gateQuestions.close();
    this.#reports.close();
    this.#approvals.close();
    this.#effects?.close();
    this.#lease?.close();
    this.#context.onOver(this);
  }

  #read(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.source === undefined) this.#greeting += chunk.length;
    if (this.#greeting > MAX_GREETING_BYTES) return this.bye("protocol");
    this.#reader.push(chunk);
    this.#intake.go();
  }

  #hear(line: string): void {
    if (this.source !== undefined && line.startsWith(ENVELOPE_START)) return this.#take(line);
    const isWide = line.length > MAX_NARROW_CHARS && measureJson(line, FRAME_LIMITS).exceeds !== undefined;
    if (isWide && this.source !== undefined) return this.#refuseQuestion(line, tooMuchText("The question", "keys"), "HL_LIMIT");
    const frame = parse(line);
    if (frame === undefined) return this.#refuseQuestion(line, UNREADABLE, "HL_LIMIT");
    if (this.source === undefined) return this.#greet(frame);
    const who = { source: this.source, ...(this.cwd !== undefined && { cwd: this.cwd }) };
    if (frame.type === "gate" || frame.type === "transform") this.#gateQuestions.ask(frame, who, line.length);
    else if (frame.type === "lease" || frame.type === "unleased") this.#lease?.hear(frame);
    else if (frame.type === "delivered") this.#effects?.delivered(frame.ids);
    else if (frame.type === "approve") this.#approvals.ask(frame, who);
    else if (frame.type === "unapprove") this.#approvals.takeBack(frame);
    else if (frame.type === "handlers") this.#reports.hear(frame);
    else if (frame.type === "counters") this.#counters = readCounters(frame) ?? this.#counters;
  }

  /** What cannot be judged is denied unread; only its head says which question it is. Without that, no one could be answered. */
  #refuseQuestion(line: string, why: string, cause: string): void {
    const question = this.source === undefined ? undefined : questionIn(line);
    if (question === undefined) return this.bye("protocol");
    const { type, id } = question;
    if (type === "gate") this.tell(refusalFrame(id, `${why} The hub does not judge it.`, cause));
    else if (type === "transform") this.tell({ type: "late", id });
    else this.tell({ type: "approved", id, error: cause });
  }

  #greet(frame: Frame): void {
    const step = this.#handshake(frame);
    if ("refused" in step) return this.bye(step.refused);
    if ("reply" in step) return this.tell(step.reply);
    this.#stopDeadline();
    this.#context.onLogin();
    this.source = step.source;
    this.cwd = step.cwd;
    this.spool = step.spool;
    const { instance, gates, effects } = this.#context.parts;
    this.tell({ type: "welcome", instance, gates: gates.list() });
    this.#lease = gates.leases.open((frame) => this.tell(frame));
    this.#effects = effects.connect(step.source, (frame) => this.tell(frame));
    void this.#identify(openOrigin("connection", step.source));
  }

  async #identify(origin: Origin): Promise<void> {
    this.origin = origin;
    const { ingest } = this.#context.parts;
    const [found, first] = await Promise.all([
      identified(origin, this.#socket),
      ingest.ownerOf(origin.instance ?? "").catch(() => undefined),
    ]);
    this.origin = found;
    ingest.identify(found);
    // An instance belongs to the user whose process connected with it first.
    if (found.owner !== undefined && first !== undefined && userIn(first) !== userIn(found.owner)) this.bye("protocol");
  }

  #take(line: string): void {
    this.#lines++;
    const result = this.#context.parts.ingest.accept(line, this.origin);
    if (isRefusal(result)) return this.#refuse(result.code, result.reason);
    const { instance } = result.envelope.source;
    if (instance !== this.source?.instance && this.#isOfOtherUser(instance))
      return this.#refuse("HL_FORGED_SOURCE", "The event names the instance of a process of another user.");
    this.#context.sequences.see(result.envelope);
    this.#lastEventAt = result.envelope.at;
    this.#intake.add(result);
  }

  /** In one user's own hub this is never so: there, such an event is stored and marked. */
  #isOfOtherUser(instance: string): boolean {
    const [own, other] = [this.origin?.owner, this.#context.ownerOf(instance)];
    return own !== undefined && other !== undefined && userIn(own) !== userIn(other);
  }

  #refuse(code: string, reason: string): void {
    this.tell({ type: "refused", n: this.#lines, code, reason });
    this.#intake.refuse();
  }

  /** A frame is not among the events that the sender counts. Any other line that cannot be read may have been one, and is answered for like one. */
  #fault(fault: LineFault, head: string): void {
    if (this.source === undefined || fault === "truncated") return;
    const why = fault === "oversize" ? `longer than ${MAX_LINE_BYTES} bytes` : "not UTF-8";
    if (FRAME_HEAD.test(head))
      return this.#refuseQuestion(head, `The question is ${why}.`, fault === "oversize" ? "HL_FRAME_TOO_LARGE" : "HL_LIMIT");
    this.#lines++;
    this.#refuse("HL_BAD_ENVELOPE", `The line is ${why}.`);
  }

  #settle(count: number): void {
    this.#settled += count;
    this.tell({ type: "ack", n: this.#settled });
  }
}

function shorter({ trail, asks, ...verdict }: HubVerdictFrame): HubVerdictFrame {
  if (trail !== undefined || asks !== undefined) return verdict;
  const { id } = verdict;
  const reason = `What the hub's guards made of it is longer than ${MAX_LINE_BYTES} bytes.`;
  return refusalFrame(id, reason, "HL_FRAME_TOO_LARGE");
}

/** The value as it was must not go on in the place of what the handlers made of it. */
function withoutValue({ type, id }: TransformedFrame): TransformedFrame {
  return { type, id, value: withheld(`what the hub's handlers made of it is longer than ${MAX_LINE_BYTES} bytes`) };
}

interface Frame {
  readonly [key: string]: unknown;
}

/** A payload of 64 levels, and a frame around it. */
const MAX_DEPTH = 72;
/** A shorter frame has no room for too much. */
const MAX_NARROW_CHARS = 64 * 1024;
const FRAME_LIMITS = { levels: Number.POSITIVE_INFINITY, keys: JUDGED_LIMITS.keys, values: 500_000 };
const UNREADABLE = `The question is not a JSON object, or is nested deeper than ${MAX_DEPTH} levels.`;
const FRAME_HEAD = /^\s*\{\s*"(?:type|id)"\s*:/;
/** A question's type and id are its first fields, in either order. */
const TYPE = String.raw`"type"\s*:\s*"(gate|transform|approve)"`;
const ID = String.raw`"id"\s*:\s*"([^"\\]{1,256})"`;
const TYPE_FIRST = new RegExp(String.raw`^\s*\{\s*${TYPE}\s*,\s*${ID}`);
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*${ID}\s*,\s*${TYPE}`);

function questionIn(line: string): { readonly type: string; readonly id: string } | undefined {
  const [, type, id] = TYPE_FIRST.exec(line) ?? [];
  if (type !== undefined && id !== undefined) return { type, id };
  const [, idBefore, typeAfter] = ID_FIRST.exec(line) ?? [];
  return idBefore === undefined || typeAfter === undefined ? undefined : { type: typeAfter, id: idBefore };
}

function parse(line: string): Frame | undefined {
  if (isDeeperThan(line, MAX_DEPTH)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Frame) : undefined;
  } catch {
    return undefined;
  }
}

/** A forwarder's own counters; nothing if they are malformed. */
function readCounters(frame: { readonly [key: string]: unknown }): ForwarderCounters | undefined {
  const { accepted, acked, pending, dropped, seq } = frame;
  if (!isCount(accepted) || !isCount(acked) || !isCount(pending) || !isCount(seq)) return undefined;
  if (typeof dropped !== "object" || dropped === null) return undefined;
  const reasons = Object.entries(dropped).filter(([reason, count]) => /^\w{1,40}$/.test(reason) && isCount(count));
  return { accepted, acked, pending, dropped: Object.fromEntries(reasons.slice(0, 32)), seq };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
