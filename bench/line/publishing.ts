import { join } from "node:path";
import { atMost, type Finding, type Measurement } from "./measurement.ts";
import type { HubMethods } from "./processes/hub.ts";
import type { PublisherMethods } from "./processes/publisher.ts";
import { interleave, median, ratios } from "./statistics.ts";

const ROUNDS = 11;
/** More than the queue holds: a frozen hub is at its worst when everything that comes drives something out. */
const FILL = 12_000;
const COUNT = 4_000;

/** What `bus.emit` costs its caller while the hub works, stands still and is gone. */
export const publishing: Measurement = {
  name: "publishing",
  async run(sandbox, say) {
    let hub = await sandbox.start<HubMethods>("hub");
    const publisher = await sandbox.start<PublisherMethods>("publisher");
    await publisher.ask("attached");
    const measure = async () => {
      await publisher.ask("fill", FILL);
      return publisher.ask("timeEmits", COUNT);
    };
    const samples = await interleave(ROUNDS, {
      up: measure,
      async frozen(round) {
        say(`round ${round + 1} of ${ROUNDS}`);
        hub.signal("SIGSTOP");
        const sample = await measure();
        hub.signal("SIGCONT");
        await publisher.ask("attached");
        return sample;
      },
      async down() {
        await hub.stop();
        await publisher.ask("detached");
        const sample = await measure();
        hub = await sandbox.start<HubMethods>("hub");
        await publisher.ask("attached");
        return sample;
      },
      append: (round) => publisher.ask("timeAppends", COUNT, join(sandbox.folder, `append-${round % 2}.jsonl`)),
    });
    return findings(
      (name) => samples(name).map(({ p50 }) => p50),
      (name) => samples(name).map(({ p99 }) => p99),
    );
  },
};

type PerRound = (name: string) => readonly number[];

function findings(p50: PerRound, p99: PerRound): Finding[] {
  const row = "bus.emit, per event";
  const beside = `appendFileSync: ${us(median(p50("append")))}, p99 ${us(median(p99("append")))}`;
  const medians = ["up", "frozen", "down"].map((state) => ({ state, value: median(p50(state)) }));
  const worst = Math.max(...medians.map(({ value }) => value));
  const ratio = (state: string): Finding => {
    const value = median(ratios(p99(state), p99("up")));
    const measured = `${value.toFixed(2)}× (${us(median(p99(state)))} : ${us(median(p99("up")))})`;
    return atMost(2, value, { row, what: `p99, hub ${state} : up`, measured, target: "at most 2×" });
  };
  const measured = medians.map(({ state, value }) => `${state} ${us(value)}`).join(", ");
  return [atMost(2, worst, { row, what: "median", measured, target: "at most 2 µs", beside }), ratio("frozen"), ratio("down")];
}

function us(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} µs`;
}
