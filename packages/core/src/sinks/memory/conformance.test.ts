import { createMemorySink } from "@hookline/core/sinks";
import { sinkConformance } from "../../../../../test/conformance/sink-conformance.ts";

sinkConformance("memory", () => {
  const sink = createMemorySink();
  return { sink, received: async () => sink.envelopes };
});
