import { setTimeout as sleep } from "node:timers/promises";
import { Crew } from "../../test/faults/processes.ts";
import { FleetFixture, until } from "../../test/fleet/fleet-fixture.ts";
import { median, ratios } from "../line/statistics.ts";
import { lineOf } from "../line/workload.ts";
import { fleetOf, post } from "./hub-requests.ts";
import type { Measurement } from "./measurement.ts";

const CALLS = 300;
/** What a busy machine stores beside the decisions. */
const BUSY = { events: 20, everyMs: 50 };

/**
 * A decision on a host that has joined and sends its events, against the same on a hub alone that stores them. Both are asked in turn: server
 * and fleet hub, which are on other machines in a real fleet, have the same processors here and slow down both.
 */
export const decision: Measurement = async ({ program, rounds }) => {
  const fleet = await FleetFixture.start({ program });
  const crews = { joined: new Crew(), alone: new Crew() };
  const hubCrew = new Crew();
  try {
    const [hub, host] = [fleet.settings("hub", "main"), fleet.settings("host", "bench")];
    fleet.reload();
    await fleet.ensure();
    await fleet.join(hub, hubCrew.state);
    await fleet.join(host, crews.joined.state);
    await hubCrew.startHub();
    await Promise.all([crews.joined.startHub(), crews.alone.startHub()]);
    await until("the host is connected", async () => (await fleetOf(crews.joined)).status?.isConnected === true);
    const settled = () =>
      until("everything is confirmed", async () => {
        const { status } = await fleetOf(crews.joined);
        return status?.confirmed === status?.last;
      });
    const measured = async (options: DecideOptions) => {
      const taken: { joined: number; alone: number }[] = [];
      for (let round = 0; round < rounds; round++) {
        taken.push(await decideInTurn(crews, { ...options, run: `${options.run}-${round}` }));
        await settled();
      }
      return (name: "joined" | "alone") => taken.map((each) => each[name]);
    };
    const idle = await measured({ run: "idle", isStored: false, isBusy: false });
    const stored = await measured({ run: "stored", isStored: true, isBusy: false });
    const busy = await measured({ run: "busy", isStored: true, isBusy: true });
    return [
      ["decision on a hub alone, p50", `${median(stored("alone")).toFixed(0)} µs`, ""],
      ["decision on a joined host, p50", `${median(stored("joined")).toFixed(0)} µs`, ""],
      ["joined / alone, each stored and sent", median(ratios(stored("joined"), stored("alone"))).toFixed(3), "≤ 1.05"],
      ["joined / alone, nothing to send", median(ratios(idle("joined"), idle("alone"))).toFixed(3), "≤ 1.05"],
      [
        `joined / alone, ${(BUSY.events * 1000) / BUSY.everyMs} other events a second`,
        median(ratios(busy("joined"), busy("alone"))).toFixed(3),
        "≤ 1.05",
      ],
    ];
  } finally {
    for (const crew of [crews.joined, crews.alone, hubCrew]) await crew[Symbol.asyncDispose]();
    await fleet.close();
  }
};

interface DecideOptions {
  readonly run: string;
  /** What is recorded is sent to the fleet. */
  readonly isStored: boolean;
  /** While other events are stored. */
  readonly isBusy: boolean;
}

/** The medians of some decisions over HTTP, in microseconds: one on each hub in turn, so that whatever else the machine does slows down both. */
async function decideInTurn(crews: { readonly joined: Crew; readonly alone: Crew }, { run, isStored, isBusy }: DecideOptions) {
  const taken = { joined: [] as number[], alone: [] as number[] };
  let isOver = false;
  const feeding = isBusy ? Promise.all(Object.values(crews).map((crew) => feed(crew, run, () => isOver))) : undefined;
  for (let call = 0; call < CALLS; call++) {
    taken.joined.push(await decide(crews.joined, isStored));
    taken.alone.push(await decide(crews.alone, isStored));
  }
  isOver = true;
  await feeding;
  return { joined: median(taken.joined), alone: median(taken.alone) };
}

async function decide(crew: Crew, record: boolean): Promise<number> {
  const start = performance.now();
  await post(crew, "/api/decide", {
    event: "tool:before",
    record,
    source: { app: "bench" },
    payload: { tool: { name: "bash", input: { command: "npm test" } } },
  });
  return (performance.now() - start) * 1000;
}

async function feed(crew: Crew, run: string, isOver: () => boolean): Promise<void> {
  for (let at = 0; !isOver(); at += BUSY.events) {
    const lines = Array.from({ length: BUSY.events }, (_, index) => lineOf(at + index, { run }));
    await Promise.all([post(crew, "/api/hooks/ingest", lines.join("\n")), sleep(BUSY.everyMs)]);
  }
}
