import { createBus } from "@hookline/core";
import eventemitter2 from "eventemitter2";
import type { Group } from "../group.ts";
import type { Contender } from "../measure.ts";
import type { Target } from "../targets.ts";
import { counted, eventObservers, type Observer, payload, payloadObservers } from "../workload.ts";

const names = ["agent:start", "agent:step", "agent:end", "agent:step"] as const;
type AgentName = (typeof names)[number];

const row = "wildcard, 1 observer, 3 names in turn";

/** One observer of `agent:*` against the same observer of each name. */
export function wildcard(): Group {
  const contenders: Contender[] = [
    { name: "exact, handle", role: "reference", run: handleLoop(["agent:start", "agent:step", "agent:end"]) },
    { name: "agent:*, handle", role: "ours", run: handleLoop(["agent:*"]) },
    { name: "exact, by name", role: "reference", run: nameLoop(["agent:start", "agent:step", "agent:end"]) },
    { name: "agent:*, by name", role: "ours", run: nameLoop(["agent:*"]) },
    { name: "eventemitter2", role: "peer", run: peerLoop() },
  ];
  return { rows: [{ name: row, checksum: 1, contenders }], targets };
}

const targets: readonly Target[] = [
  { kind: "at most", row, contender: "agent:*, handle", peer: "exact, handle", limit: 1.3 },
  { kind: "at most", row, contender: "agent:*, by name", peer: "exact, by name", limit: 1.3 },
  { kind: "faster", row, contender: "agent:*, handle", peer: "eventemitter2", limit: 6 },
  { kind: "faster", row, contender: "agent:*, by name", peer: "eventemitter2", limit: 6 },
];

function openBus(patterns: readonly (AgentName | "agent:*")[]) {
  const bus = createBus({ source: "bench" });
  const observer = eventObservers[0] as (typeof eventObservers)[number];
  for (const pattern of patterns) bus.on(pattern, observer);
  return bus;
}

function handleLoop(patterns: readonly (AgentName | "agent:*")[]): Contender["run"] {
  const bus = openBus(patterns);
  const handles = names.map((name) => bus.event(name));
  return (iterations) => {
    const before = counted();
    for (let i = 0; i < iterations; i++) (handles[i & 3] as (typeof handles)[0]).emit(payload);
    return (counted() - before) | 0;
  };
}

function nameLoop(patterns: readonly (AgentName | "agent:*")[]): Contender["run"] {
  const bus = openBus(patterns);
  return (iterations) => {
    const before = counted();
    for (let i = 0; i < iterations; i++) bus.emit(names[i & 3] as AgentName, payload);
    return (counted() - before) | 0;
  };
}

function peerLoop(): Contender["run"] {
  const emitter = new eventemitter2.EventEmitter2({ wildcard: true, delimiter: ":" });
  emitter.on("agent:*", payloadObservers[0] as Observer<typeof payload>);
  return (iterations) => {
    const before = counted();
    for (let i = 0; i < iterations; i++) emitter.emit(names[i & 3] as AgentName, payload);
    return (counted() - before) | 0;
  };
}
