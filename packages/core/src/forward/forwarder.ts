import type { Bus } from "../bus/bus.js";
import type { HookEvent, TapDispatch } from "../bus/types.js";
import { type EnvelopeSource, MAX_HOPS } from "../catalog/envelope.js";
import type { HookError } from "../catalog/errors.js";
import { AskedPayloads } from "../sinks/asked-payloads.js";
import { compileEventFilter } from "../sinks/connect/event-filter.js";
import { DEFAULT_MAX_PAYLOAD_BYTES } from "../sinks/connect/prepare.js";
import type { Frame } from "../wire/frames.js";
import { ApprovalQuestions } from "./approval-questions.js";
import type { Backlog } from "./backlog.js";
import { Delivery, Settlements } from "./delivery.js";
import { DurableBacklog } from "./durable-backlog.js";
import { followExits, spoolAtExit } from "./exit-spool.js";
import { GateQuestions } from "./gate-questions.js";
import type { HubConnection, HubConnectionCounters, HubConnectionState } from "./hub-connection.js";
import { HubDialer } from "./hub-dialer.js";
import { HubEffects } from "./hub-effects.js";
import { type HubLink, unreachable } from "./hub-link.js";
import { CounterFrames, reportHandlers } from "./hub-reports.js";
import { Lease } from "./lease.js";
import { Ledger } from "./ledger.js";
import { createLineWriter, type LineWriter } from "./line-writer.js";
import { MemoryBacklog } from "./memory-backlog.js";
import type { ForwardOptions } from "./options.js";
import { type Outgoing, takeEvent } from "./outgoing.js";
import { RemoteGates } from "./remote-gates.js";
import { hopsOf } from "./republish.js";
import { Segments } from "./segments.js";
import { SpoolWriter } from "./spool-writer.js";

export interface ForwarderParts {
  readonly bus: Bus;
  readonly source: EnvelopeSource;
  readonly folder: string;
  /** The number of the last event of this bus; goes on where an earlier line ended. */
  readonly numbers: { seq: number };
  readonly report: (error: HookError) => void;
  /** The bus is free for another line. */
  readonly onClosed: () => void;
}

/** How long a process that has nothing else to do is kept for its last events. */
const LINGER_MS = 200;

/** What a handshake with a hub that runs takes at the most, on a loaded machine. */
const HANDSHAKE_MS = 1_000;

/** A hub that owes an acknowledgement for so long has stopped, or its disk has. */
const SILENT_S = 15;

/** A hub that reads nothing for so many looks, a second each, stands still. */
const MAX_STUCK_LOOKS = 2;

/** A bus, its queue and the hub. */
export class Forwarder implements HubConnection {
  readonly #parts: ForwarderParts;
  readonly #options: ForwardOptions;
  readonly #accepts: (name: string) => boolean;
  readonly #writeLine: LineWriter;
  readonly #largeChars: number;
  readonly #ledger = new Ledger();
  readonly #writer: SpoolWriter;
  readonly #backlog: Backlog;
  readonly #delivery: Delivery;
  readonly #settlements: Settlements;
  readonly #questions: GateQuestions;
  readonly #gates: RemoteGates | undefined;
  readonly #lease = new Lease();
  readonly #effects: HubEffects;
  readonly #approvals = new ApprovalQuestions();
  readonly #asked = new AskedPayloads();
  readonly #dialer: HubDialer;
  readonly #counterFrames: CounterFrames;
  #link: HubLink | undefined;
  #stuckLooks = 0;
  #untap: (() => void) | undefined;
  #unfollow: (() => void) | undefined;
  #awaySince: number | undefined = performance.now();
  #lingeredAt = -1;
  #hasLeft = false;
  #closing: Promise<HubConnectionCounters> | undefined;

  constructor(parts: ForwarderParts, options: ForwardOptions) {
    const { maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES, gates = {} } = options;
    this.#parts = parts;
    this.#options = options;
    this.#accepts = compileEventFilter(options.events);
    this.#largeChars = maxPayloadBytes * 4;
    this.#writeLine = createLineWriter({ ...options, maxPayloadBytes, source: parts.source, onError: parts.report });
    this.#writer = new SpoolWriter({ folder: parts.folder, instance: parts.source.instance, report: parts.report });
    const limits = { maxCount: 10_000, maxBytes: 16 * 1024 * 1024, ...options.queue };
    this.#backlog = options.durable === true ? this.#durable(limits) : new MemoryBacklog(limits, this.#ledger);
    this.#settlements = new Settlements(() => this.#delivery.firstOrder);
    const shared = { backlog: this.#backlog, limits, ledger: this.#ledger, writeLine: this.#writeLine };
    const onProgress = () => this.#dialer.progressed();
    this.#delivery = new Delivery({ ...shared, onProgress, onSettled: () => this.#settlements.check() });
    this.#counterFrames = new CounterFrames(() => this.#look());
    this.#questions = new GateQuestions({
      isHopeless: (timeoutMs) => this.#isHopeless(timeoutMs),
      why: () => this.#dialer.why,
    });
    const asking = { bus: parts.bus, questions: this.#questions, lease: this.#lease, isRequired: options.required === true };
    this.#gates = gates === false ? undefined : new RemoteGates({ ...asking, options: gates });
    this.#effects = new HubEffects(parts.bus, (ids) => this.#link?.write(`${JSON.stringify({ type: "delivered", ids })}\n`));
    this.#offerApprover(parts.bus);
    if (options.durable === true) this.#begin();
    this.#dialer = this.#dial();
  }

  /** A bus without an approver asks the hub. */
  #offerApprover(bus: Bus): void {
    const own = bus.setApprover(this.#approvals.approver);
    if (own !== undefined) bus.setApprover(own);
  }

  get state(): HubConnectionState {
    return this.#hasLeft || this.#closing !== undefined ? "closed" : this.#dialer.state;
  }

  get counters(): HubConnectionCounters {
    return this.#ledger.snapshot(this.#backlog.pending, this.#parts.numbers.seq, this.#questions.counters);
  }

  flush(timeoutMs = 5_000): Promise<boolean> {
    return this.#settlements.upTo(this.#parts.numbers.seq, timeoutMs);
  }

  close(deadlineMs = LINGER_MS): Promise<HubConnectionCounters> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  async #close(deadlineMs: number): Promise<HubConnectionCounters> {
    this.#untap?.();
    this.#gates?.close();
    this.#effects.close();
    await this.flush(deadlineMs);
    this.#leave();
    this.#unfollow?.();
    this.#parts.onClosed();
    return this.counters;
  }

  #durable(limits: { readonly maxCount: number; readonly maxBytes: number }): DurableBacklog {
    const segments = new Segments({ writer: this.#writer, maxBytes: this.#maxSpoolBytes });
    return new DurableBacklog({ segments, limits, ledger: this.#ledger, writeLine: this.#writeLine, report: this.#parts.report });
  }

  get #maxSpoolBytes(): number {
    return this.#options.maxSpoolBytes ?? 256 * 1024 * 1024;
  }

  #dial(): HubDialer {
    const { folder, source, report } = this.#parts;
    return new HubDialer({
      folder,
      source,
      report,
      // What a line that is durable has written comes over the line as well: the hub need not read it from the disk.
      ...(this.#options.durable === true && { spool: this.#writer.id }),
      sighted: (sighting) => {
        if (sighting.hub.state === "found") this.#begin();
        // A hub on the line says itself what it guards.
        if (this.#link === undefined) this.#gates?.keep(sighting);
      },
      up: (link, welcome) => this.#up(link, welcome),
      frame: (_, frame) => this.#hear(frame),
      down: () => this.#down(),
    });
  }

  /** From now on events are taken; until then the bus does not know of us. */
  #begin(): void {
    this.#untap ??= this.#parts.bus.tap({
      returned: (event, handler, call) => this.#asked.returned(event, handler, call),
      dispatched: (event, dispatch) => this.#take(event, dispatch),
    });
    const { flushOnSignals = true } = this.#options;
    this.#unfollow ??= followExits({ onSignals: flushOnSignals, linger: () => this.#linger(), leave: () => this.#leave() });
  }

  #take(event: HookEvent, dispatch: TapDispatch): void {
    const asked = this.#asked.take(event, dispatch);
    this.#effects.over(event, dispatch);
    if (!this.#accepts(event.name)) return;
    const hops = hopsOf(event.payload);
    if (hops !== undefined && (hops.includes(this.#parts.source.instance) || hops.length >= MAX_HOPS)) return;
    const item = takeEvent(event, dispatch, ++this.#parts.numbers.seq, { hops, asked });
    this.#ledger.accepted++;
    // A payload that will be cut anyway is not kept whole until then.
    if (isLong(item, this.#largeChars)) item.bytes = this.#writeLine(item)?.length ?? item.bytes;
    this.#backlog.push(item);
    if (this.#hasLeft) this.#leave();
    else this.#delivery.wake();
  }

  #up(link: HubLink, welcome: Frame): void {
    this.#awaySince = undefined;
    this.#link = link;
    this.#stuckLooks = 0;
    this.#ledger.attached++;
    this.#gates?.announce(welcome.gates);
    this.#lease.attach(link);
    this.#questions.attach(link);
    this.#approvals.attach(link);
    this.#counterFrames.attach(link);
    this.#delivery.attach(link);
  }

  #down(): void {
    this.#link = undefined;
    this.#awaySince = performance.now();
    this.#gates?.keep(this.#dialer.sighting);
    this.#lease.detach();
    this.#questions.detach();
    this.#approvals.detach();
    this.#counterFrames.detach();
    this.#delivery.detach();
  }

  #hear(frame: Frame): void {
    if (frame.type === "ack") this.#delivery.acknowledge(frame.n);
    else if (frame.type === "verdict" || frame.type === "transformed" || frame.type === "late") this.#questions.hear(frame);
    else if (frame.type === "leased" || frame.type === "unlease") this.#lease.hear(frame);
    else if (frame.type === "effects") this.#effects.hear(frame);
    else if (frame.type === "approved") this.#approvals.hear(frame);
    else if (frame.type === "refused") this.#delivery.refuse(frame.n);
    else if (frame.type === "gates") this.#gates?.announce(frame.gates);
    else if (frame.type === "report") reportHandlers(this.#parts.bus, this.#link);
  }

  /**
   * Once a second. A link that takes nothing is let go: a write that waits would keep a process that is otherwise done from ending. What it
   * was given goes back to the queue, and into the spool if the process ends.
   */
  #look(): HubConnectionCounters {
    this.#stuckLooks = this.#link?.isStuck() === true ? this.#stuckLooks + 1 : 0;
    if (this.#stuckLooks >= MAX_STUCK_LOOKS) this.#link?.drop(`the hub has read nothing for ${MAX_STUCK_LOOKS} s`);
    const silent = Math.round(this.#delivery.silentMs / 1_000);
    if (silent >= SILENT_S) this.#parts.report(unreachable(this.#parts.folder, `the hub has acknowledged nothing for ${silent} s`).error);
    // A backlog that could give nothing a moment ago is asked again.
    this.#delivery.wake();
    return this.counters;
  }

  /** Away for longer than an answer may take, and not just about to shake hands. */
  #isHopeless(timeoutMs: number): boolean {
    if (this.#awaySince === undefined || performance.now() - this.#awaySince <= timeoutMs) return false;
    return this.#dialer.tryingMs > HANDSHAKE_MS;
  }

  /** Once for the events since the last time: a process that has nothing to send is not kept alive. */
  #linger(): Promise<unknown> | undefined {
    const { accepted } = this.#ledger;
    if (this.#backlog.pending === 0 || this.#lingeredAt === accepted || this.#dialer.tryingMs === Number.POSITIVE_INFINITY)
      return undefined;
    this.#lingeredAt = accepted;
    return this.flush(LINGER_MS);
  }

  /** Writes what is not acknowledged to where the hub collects it. */
  #leave(): void {
    if (!this.#hasLeft) {
      this.#hasLeft = true;
      this.#lease.detach();
      this.#questions.close();
      this.#approvals.close();
      this.#dialer.close();
    }
    const { left, rest } = this.#backlog.release();
    this.#ledger.spooled += left;
    const spool = { writer: this.#writer, maxBytes: this.#maxSpoolBytes, ledger: this.#ledger };
    spoolAtExit(rest, { ...spool, writeLine: this.#writeLine, report: this.#parts.report });
    this.#writer.close();
    this.#settlements.check();
  }
}

function isLong({ taken }: Outgoing, maxChars: number): boolean {
  return taken !== undefined && (taken.payload.length > maxChars || (taken.asked?.length ?? 0) > maxChars);
}
