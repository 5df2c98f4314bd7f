import type { AgentRun, Stage } from "./stage.ts";

/** A hub with these rules, the agent attached, and the commands called one after the other. */
export async function play(stage: Stage, toml: string, ...commands: readonly string[]): Promise<AgentRun> {
  stage.configure(toml);
  await stage.startHub();
  await stage.attach();
  return stage.run({ scripts: { main: commands.map((command) => [stage.driver.shell(command)]) } });
}
