import type { HubLine, HubLineCounters } from "./line.js";

const counters: HubLineCounters = {
  accepted: 0,
  acked: 0,
  pending: 0,
  dropped: {},
  spooled: 0,
  reconnects: 0,
  seq: 0,
  gates: { asked: 0, answered: 0, failed: 0, stray: 0 },
};

/** What `connectToHub` gives where forwarding is switched off. */
export const offLine: HubLine = {
  state: "off",
  counters,
  flush: () => Promise.resolve(true),
  close: () => Promise.resolve(counters),
};
