import { readFileSync, writeFileSync } from "node:fs";
import { claim, rule, type Scenario } from "../scenario.ts";
import { until } from "../until.ts";

/** A session whose settings change while it runs. */
export const settings: readonly Scenario[] = [
  {
    name: "config-change",
    title: "the entries are removed while a session runs: the session keeps its hooks",
    agents: ["claude-code"],
    async run(stage) {
      stage.configure(rule("second", 'do = "block"\nmessage = "no"'));
      await stage.startHub();
      await stage.attach();
      const path = stage.driver.settingsPath(stage.home);
      let isEdited = false;
      await stage.run({
        scripts: { main: ["touch first", "touch second", "touch third"].map((command) => [stage.driver.shell(command)]) },
        async onStep(step) {
          if (step !== 1 || isEdited) return;
          isEdited = true;
          writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), hooks: {} }));
          await until("Claude Code has asked about its settings", async () => (await asked()).length > 0);
        },
      });
      async function asked() {
        return stage.events({ event: "claude-code:config_change" });
      }
      claim("the call before and the one after ran", stage.has("first") && stage.has("third"));
      claim("the guarded call did not run", !stage.has("second"));
      claim(
        "the hub blocked the change",
        (await asked()).some(({ payload }) => payload.status === "blocked"),
      );
      claim("the hub raised an alarm", (await stage.events({ event: "guard:tampered" })).length > 0);
      return undefined;
    },
  },
];
