export {
  type DecisionStep,
  type DecisionSummary,
  decodeEnvelope,
  type Envelope,
  type EnvelopeSource,
  encodeEnvelope,
} from "../catalog/envelope.js";
export type { RedactFunction, RedactOptions } from "../redact/redact.js";
export type { Backoff } from "../wire/backoff.js";
export type { ConnectionState, FrameListener, NdjsonConnection, NdjsonCounters, StateListener } from "../wire/connection.js";
export type { ConnectionTuning, SocketAddress } from "../wire/connection-options.js";
export type { Frame, ProtocolErrors, ProtocolFault } from "../wire/frames.js";
export type { LineFault } from "../wire/line-reader.js";
export type { ConnectionTimers } from "../wire/timers.js";
export type { SocketAnswer } from "../wire/verdict.js";
export { type BatchOptions, withBatching } from "./_delivery/batching.js";
export type { DropReason, SinkCounters } from "./_delivery/counters.js";
export type { Overflow, QueueOptions } from "./_delivery/queue.js";
export { type QueuedSink, withQueue } from "./_delivery/queue.js";
export { type RetryOptions, withRetry } from "./_delivery/retry.js";
export { withTimeout } from "./_delivery/timeout.js";
export { type ArchiveSink, type ArchiveSinkOptions, createArchiveSink } from "./archive/archive.js";
export type { Truncated } from "./connect/cap-payload.js";
export type { ConnectSinkOptions } from "./connect-options.js";
export type { ConnectionCounters, SinkConnection, SinkHealth } from "./connect-sink.js";
export { connectSink } from "./connect-sink.js";
export { createDelivery, type Delivery, type DeliveryCounters } from "./deliver-in-order.js";
export type { Encoding } from "./encoding.js";
export { createJsonlSink, type JsonlSink, type JsonlSinkOptions } from "./jsonl/jsonl.js";
export { createMemorySink, type MemorySink, type MemorySinkOptions } from "./memory/memory.js";
export type { SendResult, Sink, SyncSink } from "./sink.js";
export { createStdoutSink, type StdoutSinkOptions } from "./stdout/stdout.js";
export { createSocketGate, type SocketGate, type SocketGateOptions } from "./unix-socket/socket-gate.js";
export { createUnixSocketSink, type UnixSocketSink } from "./unix-socket/unix-socket.js";
export type { UnixSocketSinkOptions } from "./unix-socket/unix-socket-options.js";
export type { WebhookSinkOptions } from "./webhook/options.js";
export { createWebhookSink, type WebhookCounters, type WebhookSink } from "./webhook/webhook.js";
