import { fileURLToPath } from "node:url";
import { putFiles } from "../drivers.ts";
import { claim, type Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

const main = fileURLToPath(new URL("../../../packages/hookline/dist/cli/main.js", import.meta.url));

/** Commands of the agent's own shell that act as the operator. The script is in the project: some agents run no programs from elsewhere. */
const SCRIPT = { "hl.sh": `exec '${process.execPath}' '${main}' "$@"\n` };
const WAYS = ["sh hl.sh pause", 'sh -c "sh hl.sh pause; true"', "setsid --wait sh hl.sh pause", "sh hl.sh detach AGENT"];

async function alarmsOf(stage: Stage): Promise<readonly { readonly kind: string; readonly agent?: string; readonly count: number }[]> {
  const { out } = await stage.hookline("alarms", "--json");
  return (JSON.parse(out) as { alarms: { kind: string; agent?: string; count: number }[] }).alarms;
}

export const operating: readonly Scenario[] = [
  {
    name: "operate",
    title: "the agent's shell runs `hookline pause` and `hookline detach`",
    async run(stage) {
      const { id } = stage.driver;
      putFiles(stage.project, SCRIPT);
      await stage.startHub();
      await stage.attach();
      const commands = [...WAYS.map((way) => way.replace("AGENT", id)), "touch done"];
      await stage.run({ scripts: { main: commands.map((command) => [stage.driver.shell(command)]) } });
      claim("the shell ran", stage.has("done"));
      const { out } = await stage.hookline("status", "--json");
      claim("the guards are not paused", !("paused" in (JSON.parse(out) as object)));
      const refused = await stage.events({ event: "permission:refused" });
      claim(`each of ${WAYS.length} ways is recorded as refused, not ${refused.length}`, refused.length === WAYS.length);
      const alarms = await alarmsOf(stage);
      const count = alarms.filter(({ kind, agent }) => kind === "refused" && agent === id).reduce((sum, alarm) => sum + alarm.count, 0);
      claim(`each is an alarm about ${id}, not ${JSON.stringify(alarms)}`, count === WAYS.length);
      const paused = await stage.hookline("pause");
      claim(`a person pauses the guards: ${paused.err}`, paused.code === 0);
      return undefined;
    },
  },
];
