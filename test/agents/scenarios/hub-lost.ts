import { existsSync } from "node:fs";
import { join } from "node:path";
import { claim, claimMissed, claimUnasked, type Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { until } from "../until.ts";

/** A guard that says when it is asked, and never answers. */
const HOLDING = `import { writeFileSync } from "node:fs";
export const hold = () => { writeFileSync(process.env.HOME + "/holding", ""); return new Promise(() => {}); };
`;

/** Something happens to the hub as the model is about to call the tool. */
async function strike(stage: Stage, blow: () => unknown, after: () => unknown = () => {}): Promise<void> {
  await stage.startHub();
  await stage.attach();
  const onStep = async (step: number): Promise<void> => void (await (step === 0 ? blow() : after()));
  const { model } = await stage.run({ scripts: { main: [[stage.driver.shell("touch unseen")]] }, onStep });
  claim("the model had called the tool", model.asked("main") > 0);
}

export const hubLost: readonly Scenario[] = [
  {
    name: "no-hub",
    title: "hub not running",
    async run(stage) {
      await stage.attach();
      const { model } = await stage.run({ scripts: { main: [[stage.driver.shell("touch unseen")]] } });
      await claimUnasked(stage, "unseen");
      if (stage.isStrict) claim("not even the prompt got through", !model.saw("script:main"));
      await claimMissed(stage);
      return undefined;
    },
  },
  {
    name: "hub-killed",
    title: "hub killed before the call",
    async run(stage) {
      await strike(stage, () => stage.hub.kill());
      await claimUnasked(stage, "unseen");
      await claimMissed(stage);
      return undefined;
    },
  },
  {
    name: "hub-killed-during",
    title: "hub killed during the call",
    async run(stage) {
      const toml = `[[hook]]\nname = "holding"\nevent = "tool:before"\nmodule = "./holding.mjs"\nexport = "hold"\ntimeoutMs = "60s"\n`;
      stage.configure(toml, { "holding.mjs": HOLDING });
      await stage.startHub();
      await stage.attach();
      const running = stage.run({ scripts: { main: [[stage.driver.shell("touch unseen")]] } });
      // Whoever fails first has told why.
      running.catch(() => {});
      await until("the hub holds the call", () => existsSync(join(stage.home, "holding")));
      claim("nothing ran meanwhile", !stage.has("unseen"));
      await stage.hub.kill();
      await running;
      await claimUnasked(stage, "unseen");
      await claimMissed(stage);
      return undefined;
    },
  },
  {
    name: "hub-frozen",
    title: "hub frozen",
    async run(stage) {
      const thaw = () => stage.hub.signal("SIGCONT");
      await strike(stage, () => stage.hub.signal("SIGSTOP"), thaw);
      await claimUnasked(stage, "unseen");
      await claimMissed(stage);
      return undefined;
    },
  },
  {
    name: "hub-back",
    title: "hub killed and restarted: guarded again",
    async run(stage) {
      stage.configure(`[[rule]]\nname = "no"\ntool = "Bash"\ndo = "block"\nmessage = "The new hub says no."\n`);
      await stage.startHub();
      await stage.attach();
      const onStep = async (step: number): Promise<void> => {
        if (step > 0) return;
        await stage.hub.kill();
        await stage.startHub();
      };
      const { model } = await stage.run({ scripts: { main: [[stage.driver.shell("touch unseen")]] }, onStep });
      claim("the tool did not run", !stage.has("unseen"));
      claim("the model saw why", stage.driver.endsOnDeny === true || model.saw("The new hub says no."));
      return undefined;
    },
  },
];
