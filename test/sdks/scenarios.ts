import assert from "node:assert/strict";
import { ask, type Bus, block, createBus, inject, modify, replace } from "@hookline/core";
import type { Play } from "./play.ts";

/** What an SDK's interface does not allow, with the reason; such a scenario is listed, not run. */
export interface Scenario {
  readonly name: string;
  run(play: Play): Promise<void>;
}

const call = { command: "make deploy", callId: "c1" };

interface Seen {
  readonly bus: Bus;
  /** The statuses of `tool:after`, in order. */
  readonly after: string[];
  readonly inputTokens: () => number;
}

function watchedBus(options: Parameters<typeof createBus>[0] = {}): Seen {
  const bus = createBus({ source: "sdk-test", ...options });
  const after: string[] = [];
  let tokens = 0;
  bus.on("tool:after", ({ payload }) => void after.push(payload.status));
  for (const event of ["llm:after", "session:end"] as const)
    bus.on(event, ({ payload }) => {
      tokens += payload.usage?.inputTokens ?? 0;
    });
  return { bus, after, inputTokens: () => tokens };
}

/** Guards of calls of the tool `shell`, also where its name has the server's before it. */
const shell = { match: "tool.name =~ 'shell$'" };

export const scenarios: readonly Scenario[] = [
  {
    name: "observe",
    async run(play) {
      const { bus, after } = watchedBus();
      const inputs: unknown[] = [];
      bus.on("tool:before", ({ payload }) => void inputs.push(payload.tool.input.command), shell);
      const { ran } = await play(bus, [call]);
      assert.deepEqual({ ran, inputs, after }, { ran: ["make deploy"], inputs: ["make deploy"], after: ["ok"] });
    },
  },
  {
    name: "usage",
    async run(play) {
      const { bus, inputTokens } = watchedBus();
      await play(bus, [call]);
      assert.equal(inputTokens(), 20);
    },
  },
  {
    name: "block",
    async run(play) {
      const { bus, after } = watchedBus();
      bus.on("tool:before", () => block("not on a Friday"), { name: "friday", ...shell });
      const { ran, told } = await play(bus, [call]);
      assert.deepEqual({ ran, after }, { ran: [], after: ["blocked"] });
      assert.match(told, /not on a Friday/);
    },
  },
  {
    name: "rewrite",
    async run(play) {
      const { bus } = watchedBus();
      const dry = (input: object) => ({ ...input, command: "make --dry-run deploy" });
      bus.on("tool:before", ({ payload }) => modify({ ...payload, tool: { ...payload.tool, input: dry(payload.tool.input) } }), {
        stage: "rewrite",
        ...shell,
      });
      assert.deepEqual((await play(bus, [call])).ran, ["make --dry-run deploy"]);
    },
  },
  {
    name: "ask, allowed",
    async run(play) {
      const { bus } = watchedBus();
      const asked: unknown[] = [];
      bus.on("tool:before", () => ask("sure?"), { name: "asks", ...shell });
      bus.setApprover(({ reason }) => {
        asked.push(reason);
        return { verdict: "allow", by: "ann" };
      });
      const { ran } = await play(bus, [call]);
      assert.deepEqual({ ran, asked }, { ran: ["make deploy"], asked: ["sure?"] });
    },
  },
  {
    name: "ask, denied",
    async run(play) {
      const { bus } = watchedBus();
      bus.on("tool:before", () => ask("sure?"), { name: "asks", ...shell });
      bus.setApprover(() => ({ verdict: "deny", by: "ann", reason: "ann says no" }));
      const { ran, told } = await play(bus, [call]);
      assert.deepEqual(ran, []);
      assert.match(told, /ann says no/);
    },
  },
  {
    name: "ask, no approver",
    async run(play) {
      const { bus } = watchedBus();
      bus.on("tool:before", () => ask("sure?"), { name: "asks", ...shell });
      assert.deepEqual((await play(bus, [call])).ran, []);
    },
  },
  {
    name: "inject",
    async run(play) {
      const { bus } = watchedBus();
      bus.on("tool:before", () => inject("the staging cluster is down"), { name: "tells", ...shell });
      const { ran, told } = await play(bus, [call]);
      assert.deepEqual(ran, ["make deploy"]);
      assert.match(told, /the staging cluster is down/);
    },
  },
  {
    name: "result",
    async run(play) {
      const { bus } = watchedBus();
      bus.on("tool:result", () => replace("the result is withheld"), { name: "withholds" });
      const { told } = await play(bus, [call]);
      assert.match(told, /the result is withheld/);
      assert.doesNotMatch(told, /ran make deploy/);
    },
  },
  {
    name: "guard that throws",
    async run(play) {
      const { bus } = watchedBus({ onError: () => {} });
      bus.on(
        "tool:before",
        () => {
          throw new Error("broken guard");
        },
        { name: "broken", ...shell },
      );
      assert.deepEqual((await play(bus, [call])).ran, []);
    },
  },
  {
    name: "model call denied",
    async run(play) {
      const { bus } = watchedBus();
      bus.on("llm:before", () => block("budget spent"), { name: "budget" });
      const outcome = await play(bus, [call]).then(
        ({ ran }) => ran,
        (error: Error) => [...(/budget spent/.test(String(error)) ? [] : [String(error)])],
      );
      assert.deepEqual(outcome, []);
    },
  },
  {
    name: "one id twice",
    async run(play) {
      const { bus, after } = watchedBus();
      bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "rm -rf /" ? block("no") : undefined), {
        name: "no-rm",
        ...shell,
      });
      const { ran } = await play(bus, [call, { ...call, command: "rm -rf /" }]);
      assert.deepEqual({ ran, after }, { ran: ["make deploy"], after: ["ok", "blocked"] });
    },
  },
];
