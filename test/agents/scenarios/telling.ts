import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canDo } from "../drivers.ts";
import { claim, claimMissed, type Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

const SECRET = "tok_5up3r53cr3t";

/** A hook in `hookline.toml`, with its module beside it. */
function configure(stage: Stage, hook: { readonly event: string; readonly code: string; readonly more?: string }): void {
  const toml = `[[hook]]\nname = "own"\nevent = "${hook.event}"\nmodule = "./own.mjs"\nexport = "handle"\n${hook.more ?? ""}\n`;
  stage.configure(toml, { "own.mjs": `export const handle = ${hook.code};\n` });
}

/** Takes the secret out of every text. */
const REDACT = `({ value }) => ({ result: JSON.parse(JSON.stringify(value).replaceAll("${SECRET}", "*****")) })`;
const CLOSED = 'onFailure = "closed"';

/** The tool prints what stands in a file: the call itself does not say it. */
function secretCall(stage: Stage) {
  writeFileSync(join(stage.project, "notes.txt"), `before ${SECRET} after\n`);
  return [[stage.driver.shell("cat notes.txt; touch ran")]];
}

/** What the model is told besides verdicts. */
export const telling: readonly Scenario[] = [
  {
    name: "output",
    title: "an output rewritten: the model sees only the new one, and the hub stores only the new one",
    async run(stage) {
      configure(stage, { event: "tool:result", code: REDACT, more: CLOSED });
      await stage.startHub();
      await stage.attach();
      const { model } = await stage.run({ scripts: { main: secretCall(stage) } });
      claim("the tool ran", stage.has("ran"));
      claim("the model did not see the secret", !model.saw(SECRET));
      claim("the model saw what is in its place", model.saw("before ***** after"));
      const [after] = await stage.events({ event: "tool:after" });
      claim("the call is recorded without it", after !== undefined && !JSON.stringify(after).includes(SECRET));
      return undefined;
    },
  },
  {
    name: "output-broken",
    title: "a closed transform fails: the output is withheld",
    async run(stage) {
      configure(stage, { event: "tool:result", code: "({ value }) => { throw new Error(String(value)); }", more: CLOSED });
      await stage.startHub();
      await stage.attach();
      const { model } = await stage.run({ scripts: { main: secretCall(stage) } });
      claim("the tool ran", stage.has("ran"));
      claim("the model did not see the secret", !model.saw(SECRET));
      claim("the model saw that something is missing", model.saw("[withheld: "));
      return undefined;
    },
  },
  {
    name: "output-hub-killed",
    title: "hub killed while the tool runs, with a closed transform: the output is withheld",
    async run(stage) {
      configure(stage, { event: "tool:result", code: REDACT, more: CLOSED });
      await stage.startHub();
      await stage.attach();
      writeFileSync(join(stage.project, "notes.txt"), `before ${SECRET} after\n`);
      // Let through by the hub, which the tool itself then kills.
      const calls = [[stage.driver.shell(`kill -9 ${stage.hub.pid}; cat notes.txt; touch ran`)]];
      const { model } = await stage.run({ scripts: { main: calls } });
      claim("the tool ran", stage.has("ran"));
      claim("the hub is gone", !stage.hub.isRunning);
      claim("the model did not see the secret", !model.saw(SECRET));
      claim("the model saw that something is missing", model.saw("[withheld: the hub did not answer]"));
      await claimMissed(stage);
      return undefined;
    },
  },
  {
    name: "context",
    title: "an observer injects text after a call: the model sees it",
    async run(stage) {
      configure(stage, { event: "tool:after", code: `() => ({ inject: "Said after the call." })` });
      await stage.startHub();
      await stage.attach();
      const { model } = await stage.run({ scripts: { main: [[stage.driver.shell("touch ran")]] } });
      claim("the tool ran", stage.has("ran"));
      claim("the model saw what was said", model.saw("Said after the call."));
      const told = model.requests.at(-1)?.split("Said after the call.").length ?? 0;
      claim(`it was said once, not ${told - 1} times`, told === 2);
      return undefined;
    },
  },
  {
    name: "reminder",
    title: "an observer adds a reminder: the model sees it with the next prompt",
    async run(stage) {
      configure(stage, { event: "session:end", code: `() => ({ reminder: { body: "Mind the gap." } })` });
      await stage.startHub();
      await stage.attach();
      const first = await stage.run({ scripts: { main: [[stage.driver.shell("touch first")]] } });
      claim("not before", !first.model.saw("Mind the gap."));
      const second = await stage.run({ scripts: { main: [[stage.driver.shell("touch second")]] } }, { isResumed: true });
      claim("both ran", stage.has("first") && stage.has("second"));
      claim("the model saw it with the next prompt", second.model.saw("Mind the gap."));
      return undefined;
    },
  },
  {
    name: "prompt-built",
    title: "`prompt:build`: the model sees the injected text, and the new prompt if the agent accepts one",
    async run(stage) {
      const code = `({ value }) => ({ result: value + " Built by a hook.", inject: "Said with the prompt." })`;
      configure(stage, { event: "prompt:build", code });
      await stage.startHub();
      await stage.attach();
      const { model } = await stage.run({ scripts: { main: [[stage.driver.shell("touch ran")]] } });
      claim("the tool ran", stage.has("ran"));
      claim("the model saw what was said", model.saw("Said with the prompt."));
      const canTake = canDo(stage.driver, "prompt:submit", "modify");
      claim(`the model ${canTake ? "saw" : "did not see"} the other prompt`, model.saw("Built by a hook.") === canTake);
      return undefined;
    },
  },
];
