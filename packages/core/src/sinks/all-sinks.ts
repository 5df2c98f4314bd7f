import { archiveSink } from "./archive/archive.js";
import { jsonlSink } from "./jsonl/jsonl.js";
import { memorySink } from "./memory/memory.js";
import { otlpSink } from "./otlp/otlp-options.js";
import type { SinkDefinition } from "./sink-definition.js";
import { stdoutSink } from "./stdout/stdout.js";
import { unixSocketSink } from "./unix-socket/unix-socket.js";
import { webhookSink } from "./webhook/webhook.js";

/** Every type of sink. Schema, documentation, the hub and a test that each has its conformance test derive from this list. */
export const allSinks: readonly SinkDefinition[] = [jsonlSink, webhookSink, archiveSink, unixSocketSink, otlpSink, stdoutSink, memorySink];
