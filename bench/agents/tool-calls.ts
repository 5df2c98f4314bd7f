import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Child } from "../../test/agents/child.ts";
import type { AgentDriver } from "../../test/agents/drivers.ts";
import { startFakeModel } from "../../test/agents/fake-model/fake-model.ts";
import type { Stage } from "../../test/agents/stage.ts";
import type { Way } from "./ways.ts";

/** The first calls of a session warm things up. */
const WARM = 3;
const LIMIT_MS = 120_000;

/** One session with so many tool calls: how long each took, from the model's request for it to the agent's next request, in milliseconds. */
export async function timeToolCalls(stage: Stage, driver: AgentDriver, way: Way, calls: number): Promise<number[]> {
  const asked: number[] = [];
  const step = [driver.shell("true")];
  await using model = await startFakeModel({
    scripts: { main: Array.from({ length: calls + WARM }, () => step) },
    onStep: () => void asked.push(performance.now()),
  });
  const file = driver.settingsPath(stage.home);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, way.settings, { mode: 0o600 });
  const args = driver.args("Please do script:main", { modelUrl: model.url });
  const env = { ...stage.env, ...driver.env(model.url) };
  await using child = new Child(driver.program, args, { env, cwd: stage.project, limitMs: LIMIT_MS });
  const { code, out, err } = await child.ended;
  const times = asked.slice(1).map((at, index) => at - (asked[index] ?? at));
  if (times.length !== calls + WARM)
    throw new Error(`${way.name}: ${times.length} calls instead of ${calls + WARM} (exit code ${code}). ${(out + err).slice(-400)}`);
  return times.slice(WARM);
}
