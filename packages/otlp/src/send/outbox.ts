import type { HookError } from "@hookline/core";
import type { Envelope, SendResult } from "@hookline/core/sinks";
import { EventMetrics } from "../metrics/event-metrics.js";
import { Meter } from "../metrics/meter.js";
import { guardrailNames } from "../names/guardrail-names.js";
import type { SpanRecord } from "../trace/span-record.js";
import { TraceBuilder } from "../trace/trace-builder.js";
import { createEncoder, type EventRecord } from "./encode.js";
import { createResources } from "./resources.js";
import { createSender, type Sender } from "./sender.js";
import type { OtlpSettings, Signal } from "./settings.js";

const SENT: SendResult = { status: "sent" };

/** What events have become and the receiver does not have yet. A batch that is tried again is not read again. */
export class Outbox {
  readonly #traces: TraceBuilder;
  readonly #meter: Meter;
  readonly #metrics: EventMetrics;
  readonly #encoder: ReturnType<typeof createEncoder>;
  readonly #senders: { readonly [signal in Signal]?: Sender };
  readonly #read = new WeakSet<Envelope>();
  #spans: SpanRecord[] = [];
  #events: EventRecord[] = [];
  #sent = 0;
  #refused = 0;
  lastRefusal: HookError | undefined;

  constructor(settings: OtlpSettings) {
    const { guardrails, content, maxOpen, maxOpenMs, parent, temporality, isJson } = settings;
    this.#traces = new TraceBuilder({ guardrails: guardrailNames[guardrails], content, maxOpen, maxOpenMs, parent });
    this.#meter = new Meter(temporality);
    this.#metrics = new EventMetrics(this.#meter);
    this.#encoder = createEncoder(isJson, temporality === "delta", createResources(settings.resource));
    const senders = Object.entries(settings.targets).map(([signal, target]) => {
      const onRefused = (count: number, error: HookError) => this.#onRefused(count, error);
      return [signal, createSender({ signal: signal as Signal, target, settings, encoder: this.#encoder, onRefused })] as const;
    });
    this.#senders = Object.fromEntries(senders);
  }

  get counters() {
    return { spans: this.#sent, refused: this.#refused, open: this.#traces.open };
  }

  add(batch: readonly Envelope[]): void {
    for (const envelope of batch) {
      if (this.#read.has(envelope)) continue;
      this.#read.add(envelope);
      const { ended, within } = this.#traces.add(envelope);
      this.#metrics.countEvent(envelope);
      this.#put(ended);
      if (this.#senders.logs !== undefined) this.#events.push({ envelope, within });
    }
  }

  /** False if nothing was open. */
  endAll(): boolean {
    const ended = this.#traces.endAll("closed");
    this.#put(ended);
    return ended.length > 0;
  }

  /** Sends what there is, and keeps what the receiver may take later. */
  async flush(signal: AbortSignal): Promise<SendResult> {
    const logs = await this.#flushLogs(signal);
    const traces = logs.status === "retry" ? SENT : await this.#flushTraces(signal);
    const metrics = [logs, traces].some(({ status }) => status === "retry") ? SENT : await this.#flushMetrics(signal);
    const results = [logs, traces, metrics];
    return results.find(({ status }) => status === "retry") ?? results.find(({ status }) => status === "failed") ?? SENT;
  }

  /** Forgets what was not sent. */
  discard(): void {
    this.#spans = [];
    this.#events = [];
  }

  destroy(): void {
    for (const sender of Object.values(this.#senders)) sender.destroy();
  }

  #put(ended: readonly SpanRecord[]): void {
    for (const span of ended) this.#metrics.countSpan(span);
    if (this.#senders.traces !== undefined) this.#spans.push(...ended);
  }

  async #flushLogs(signal: AbortSignal): Promise<SendResult> {
    const { logs } = this.#senders;
    if (logs === undefined || this.#events.length === 0) return SENT;
    const result = await logs.send(this.#encoder.logs(this.#events), signal);
    if (result.status !== "retry") this.#events = [];
    return result;
  }

  async #flushTraces(signal: AbortSignal): Promise<SendResult> {
    const { traces } = this.#senders;
    if (traces === undefined || this.#spans.length === 0) return SENT;
    const result = await traces.send(this.#encoder.traces(this.#spans), signal);
    if (result.status === "sent") this.#sent += this.#spans.length;
    if (result.status !== "retry") this.#spans = [];
    return result;
  }

  async #flushMetrics(signal: AbortSignal): Promise<SendResult> {
    const { metrics } = this.#senders;
    const { measured, sent } = this.#meter.collect();
    if (metrics === undefined || measured.length === 0) return SENT;
    const result = await metrics.send(this.#encoder.metrics(measured), signal);
    if (result.status !== "retry") sent();
    return result;
  }

  #onRefused(count: number, error: HookError): void {
    this.#refused += count;
    this.lastRefusal = error;
  }
}
