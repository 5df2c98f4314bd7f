import { callOf, claim, rule, type Scenario, verdictOf } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { until } from "../until.ts";

const DYING = `import { createInterface } from "node:readline";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method !== "initialize") process.exit(7);
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1 } }) + "\\n");
});
`;
const MANIFEST = {
  protocol: 1,
  name: "dying",
  command: "node",
  args: ["guard.mjs"],
  permissions: ["tools.intercept"],
  hooks: [{ event: "tool:before", timeoutMs: 10_000, onFailure: "closed" }],
};

async function callDenied(stage: Stage): Promise<void> {
  await stage.attach();
  await stage.run({ scripts: { main: [[stage.driver.shell("touch unwanted")]] } });
  claim("the tool did not run", !stage.has("unwanted"));
  claim("it is recorded as denied", verdictOf(await callOf(stage, "unwanted")) === "deny");
}

/** What the hub can read, and no guard can judge. */
const DEEP = JSON.parse(`${'{"a":'.repeat(70)}1${"}".repeat(70)}`) as unknown;

/** Guards that cannot do their work: nothing passes them, strict or not, because there is a hub to say so. */
export const guards: readonly Scenario[] = [
  {
    name: "too-deep",
    title: "a call nested too deep to judge: denied, the model sees the reason",
    async run(stage) {
      await stage.startHub();
      await stage.attach();
      const { tool, input } = stage.driver.shell("touch unwanted");
      const { model } = await stage.run({ scripts: { main: [[{ tool, input: { ...input, deep: DEEP } }]] } });
      const calls = await stage.events({ event: "tool:before" });
      // Some drop what their tool does not know before they ask: then the hub has the call without it.
      if (calls.every((call) => verdictOf(call) !== "deny")) return "cannot";
      claim("the tool did not run", !stage.has("unwanted"));
      claim("the model saw why", stage.driver.endsOnDeny === true || model.saw("deeper than 60 levels"));
      return undefined;
    },
  },
  {
    name: "extension-crashed",
    title: "a guard's process dies: denied",
    async run(stage) {
      stage.configure('[[hook]]\nextension = "./dying"\n', {
        "dying/extension.json": JSON.stringify(MANIFEST),
        "dying/guard.mjs": DYING,
      });
      await stage.startHub();
      await callDenied(stage);
      const { decision } = await callOf(stage, "unwanted");
      claim("it is recorded as a failure, and nobody's decision", typeof (decision as { cause?: unknown }).cause === "string");
      return undefined;
    },
  },
  {
    name: "rule-broken-later",
    title: "rule file broken while the hub runs: the last good version applies",
    async run(stage) {
      const good = rule("unwanted", 'do = "block"\nmessage = "The last good rule."');
      stage.configure(good);
      await stage.startHub();
      const before = stage.hub.err.length;
      stage.configure(good.replace('do = "block"', 'do = "blokk"'));
      await until("the hub says that the file is wrong", () => stage.hub.err.slice(before).includes("blokk"));
      await callDenied(stage);
      const { decision } = await callOf(stage, "unwanted");
      claim("by the last good rule", JSON.stringify(decision).includes("The last good rule."));
      return undefined;
    },
  },
  {
    name: "rule-broken-before",
    title: "rule file broken when the hub starts: what it would guard is denied",
    async run(stage) {
      stage.configure(rule("unwanted", 'do = "blokk"\nmessage = "Never heard."'));
      await stage.startHub();
      await callDenied(stage);
      return undefined;
    },
  },
];
