import { decodeEnvelope } from "@hookline/core/sinks";
import { sinkConformance } from "../../../test/conformance/sink-conformance.ts";
import { startOtlpReceiver } from "../../../test/support/otlp-receiver.ts";
import { createOtlpSink } from "./otlp-sink.ts";

const encodings = [
  { protocol: "http/protobuf", compression: "none" },
  { protocol: "http/json", compression: "gzip" },
] as const;

// A log record has the whole event, so nothing may be missing or changed.
for (const encoding of encodings)
  sinkConformance(`otlp (${encoding.protocol}, ${encoding.compression})`, async () => {
    const receiver = await startOtlpReceiver();
    const sink = createOtlpSink({ url: receiver.url, logs: true, closeTimeoutMs: 100, env: {}, ...encoding });
    return {
      sink,
      received: async () => receiver.logs.map(({ body }) => decodeEnvelope(body)),
      breakPeer: () => receiver.answer({ status: 503 }),
      healPeer: () => receiver.answer({}),
      slowPeer: () => receiver.answer({ isSilent: true }),
      dispose: receiver.close,
    };
  });
