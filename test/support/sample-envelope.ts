import type { Envelope } from "@hookline/core/sinks";

let count = 0;

/** An envelope as a forwarder would send it; each has an id and a number of its own. */
export function sampleEnvelope(parts: Partial<Envelope> = {}): Envelope {
  count++;
  return {
    v: 2,
    id: `sample${String(count).padStart(8, "0")}`,
    seq: count,
    at: new Date().toISOString(),
    event: "agent:step",
    source: { app: "agent", host: "h", pid: 1, instance: "i1" },
    payload: { step: count },
    hops: ["i1"],
    ...parts,
  };
}
