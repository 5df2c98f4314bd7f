import { join } from "node:path";
import { atMost, type Finding, type Measurement } from "./measurement.ts";
import type { HubMethods } from "./processes/hub.ts";
import type { PlainClientMethods } from "./processes/plain-client.ts";
import type { PlainServerMethods } from "./processes/plain-server.ts";
import type { PublisherMethods } from "./processes/publisher.ts";
import { interleave, type Latency, median, ratios } from "./statistics.ts";

const ROUNDS = 15;
/** Until V8 has compiled both sides for what they do, and rests: a question takes twice as long before that. */
const WARM_UP_ROUNDS = 30;
const COUNT = 500;
/** Agents ask now and then: meanwhile both processes, and the processor, have gone to sleep. */
const PAUSE_MS = 2;
const PAUSED_COUNT = 100;
const ruleConfig = `[[rule]]\nname = "no-rm"\nevent = "tool:before"\ndo = "allow"\nmatch = "tool.name != 'rm'"\n`;
const passConfig = `[[rule]]\nname = "no-deploy"\nevent = "tool:before"\ntool = "deploy"\ndo = "block"\nmessage = "no"\n
[[rule]]\nname = "no-prod"\nevent = "tool:before"\ndo = "block"\nmessage = "no"\nmatch = "tool.input.query contains 'production'"\n
[[rule]]\nname = "no-rm"\nevent = "tool:before"\ndo = "block"\nmessage = "no"\ncommand = { program = "rm" }\n`;
const hookConfig = '[[hook]]\nmodule = "./guard.mjs"\nevent = "tool:before"\n';
const hook = 'export function handle({ payload }) { if (payload.tool.name !== "rm") return { decision: "allow" }; }\n';

/** `bus.decide` answered by a guard of the hub, against the bare way there and back. */
export const gate = gateOf("gate", "remote gate", { "hookline.toml": ruleConfig });
/** The same with a JavaScript hook, which the hub runs in a process of its own: the call takes the way twice. */
export const hookGate = gateOf("hook-gate", "remote gate, JavaScript hook", { "hookline.toml": hookConfig, "guard.mjs": hook });

function gateOf(name: string, row: string, files: { readonly [name: string]: string }): Measurement {
  const run: Measurement["run"] = async (sandbox, say) => {
    sandbox.configure(files);
    await sandbox.start<HubMethods>("hub");
    const publisher = await sandbox.start<PublisherMethods>("publisher");
    const client = await sandbox.start<PlainClientMethods>("plain-client");
    const server = await sandbox.start<PlainServerMethods>("plain-server");
    const path = join(sandbox.sockets, "echo.sock");
    await server.ask("echo", path);
    await publisher.ask("attached");
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      await publisher.ask("timeGates", COUNT, 0);
      await client.ask("timeEchoes", COUNT, 0, path);
    }
    const samples = await interleave(ROUNDS, {
      gate(round) {
        say(`round ${round + 1} of ${ROUNDS}`);
        return publisher.ask("timeGates", COUNT, 0);
      },
      echo: () => client.ask("timeEchoes", COUNT, 0, path),
      pausedGate: () => publisher.ask("timeGates", PAUSED_COUNT, PAUSE_MS),
      pausedEcho: () => client.ask("timeEchoes", PAUSED_COUNT, PAUSE_MS, path),
    });
    return [
      finding(row, "round trip, p50, one question after the other", samples("gate"), samples("echo")),
      finding(row, `round trip, p50, ${PAUSE_MS} ms between questions`, samples("pausedGate"), samples("pausedEcho")),
    ];
  };
  return { name, run };
}

/** A call that no guard of the hub concerns: the process lets it pass by itself, and records it. */
export const localPass: Measurement = {
  name: "local-pass",
  async run(sandbox, say) {
    sandbox.configure({ "hookline.toml": passConfig });
    await sandbox.start<HubMethods>("hub");
    const publisher = await sandbox.start<PublisherMethods>("publisher");
    const client = await sandbox.start<PlainClientMethods>("plain-client");
    const server = await sandbox.start<PlainServerMethods>("plain-server");
    const path = join(sandbox.sockets, "echo.sock");
    await server.ask("echo", path);
    await publisher.ask("attached");
    await publisher.ask("timePasses", COUNT * 4);
    const samples = await interleave(ROUNDS, {
      pass(round) {
        say(`round ${round + 1} of ${ROUNDS}`);
        return publisher.ask("timePasses", COUNT * 4);
      },
      echo: () => client.ask("timeEchoes", COUNT, 0, path),
    });
    const each = (name: string): number => median(samples(name).map(({ p50 }) => p50));
    const text = (name: string): string => `${each(name).toFixed(1)} µs, p99 ${median(samples(name).map(({ p99 }) => p99)).toFixed(0)} µs`;
    return [
      atMost(2, each("pass"), {
        row: "a call that concerns no guard",
        what: "passed and recorded in the process, p50",
        measured: text("pass"),
        target: "at most 2 µs",
        beside: `raw Unix-socket NDJSON echo: ${text("echo")}`,
      }),
    ];
  },
};

function finding(row: string, what: string, gates: readonly Latency[], echoes: readonly Latency[]): Finding {
  const each = (samples: readonly Latency[]): number[] => samples.map(({ p50 }) => p50);
  const text = (samples: readonly Latency[]): string =>
    `${median(each(samples)).toFixed(0)} µs, p99 ${median(samples.map(({ p99 }) => p99)).toFixed(0)} µs`;
  const value = median(ratios(each(gates), each(echoes)));
  return atMost(2.5, value, {
    row,
    what,
    measured: `${value.toFixed(2)}× (${text(gates)})`,
    target: "at most 2.5× the echo",
    beside: `raw Unix-socket NDJSON echo: ${text(echoes)}`,
  });
}
