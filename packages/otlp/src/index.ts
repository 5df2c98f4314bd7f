import type { OtlpSinkOptions } from "@hookline/core/internal/sinks";
import type { Sink } from "@hookline/core/sinks";
import { createOtlpSink } from "./otlp-sink.js";

export { version } from "./names/package-version.js";
export { createOtlpSink, type OtlpCounters, type OtlpSink, type OtlpSinkOptions } from "./otlp-sink.js";
export { type TracedCall, traceparentOf } from "./trace/traceparent-of.js";

/** For the hub, whose next start continues the spans that are open. */
export function createSink(options: OtlpSinkOptions): Sink {
  return createOtlpSink({ ...options, isContinued: true });
}
