import { createMemorySink } from "@hookline/core/sinks";
import { sinkConformance } from "./sink-conformance.ts";

sinkConformance("memory", () => {
  const sink = createMemorySink();
  return { sink, received: async () => sink.envelopes };
});
