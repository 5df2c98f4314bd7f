import { setTimeout as sleep } from "node:timers/promises";
import { Crew } from "../../test/faults/processes.ts";
import { FleetFixture, until } from "../../test/fleet/fleet-fixture.ts";
import { interleave, median, ratios } from "../line/statistics.ts";
import { lineOf } from "../line/workload.ts";
import { fleetOf, post } from "./hub-requests.ts";
import type { Measurement } from "./measurement.ts";

const CALLS = 300;
/** What a busy machine stores beside the decisions. */
const BUSY = { events: 20, everyMs: 50 };

/**
 * A decision on a host that has joined and sends its events, against the same on a hub alone that stores them. Server and fleet hub have the
 * same processors, and rest while the hub alone is asked only if the host has sent everything: the rounds wait for that.
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
    const settled = async <T>(result: T): Promise<T> => {
      await until("everything is confirmed", async () => {
        const { status } = await fleetOf(crews.joined);
        return status?.confirmed === status?.last;
      });
      return result;
    };
    const idle = await interleave(rounds, {
      joined: () => decide(crews.joined, false),
      alone: () => decide(crews.alone, false),
    });
    const stored = await interleave(rounds, {
      joined: async () => settled(await decide(crews.joined, true)),
      alone: () => decide(crews.alone, true),
    });
    const busy = await interleave(rounds, {
      joined: async (round) => settled(await busily(crews.joined, `joined-${round}`)),
      alone: (round) => busily(crews.alone, `alone-${round}`),
    });
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

/** The median of some decisions over HTTP, in microseconds. What is recorded is sent to the fleet. */
async function decide(crew: Crew, record: boolean): Promise<number> {
  const body = {
    event: "tool:before",
    record,
    source: { app: "bench" },
    payload: { tool: { name: "bash", input: { command: "npm test" } } },
  };
  const taken: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const start = performance.now();
    await post(crew, "/api/decide", body);
    taken.push((performance.now() - start) * 1000);
  }
  return median(taken);
}

/** The same while other events are stored. */
async function busily(crew: Crew, run: string): Promise<number> {
  let isOver = false;
  const feeding = (async () => {
    for (let at = 0; !isOver; at += BUSY.events) {
      const lines = Array.from({ length: BUSY.events }, (_, index) => lineOf(at + index, { run }));
      await Promise.all([post(crew, "/api/hooks/ingest", lines.join("\n")), sleep(BUSY.everyMs)]);
    }
  })();
  const result = await decide(crew, true);
  isOver = true;
  await feeding;
  return result;
}
