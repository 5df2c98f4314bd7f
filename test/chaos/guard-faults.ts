import { setTimeout as pause } from "node:timers/promises";
import { until } from "../faults/processes.ts";
import { type Fault, happened } from "./fault.ts";
import { GUARD_NAMES, MODES } from "./guards.ts";
import type { World } from "./world.ts";

/** A guard's process that is killed or stopped, or misbehaves in one of its ways. The hub starts it again, up to three times a minute. */
export const guardFaults: readonly Fault[] = [
  ...GUARD_NAMES.map(
    (guard): Fault => ({
      name: `kill ${guard}`,
      weight: 3,
      kills: 1,
      async act({ world }) {
        const pid = await processOf(world, guard);
        process.kill(pid, "SIGKILL");
        world.guardEnds++;
      },
    }),
  ),
  {
    name: "stop process-guard",
    weight: 1,
    async act({ world, random }) {
      const pid = await processOf(world, "process-guard");
      process.kill(pid, "SIGSTOP");
      await pause(random.between(300, 2_500));
      // The hub may have given it up and ended it.
      if (world.guardProcesses("process-guard").includes(pid)) process.kill(pid, "SIGCONT");
      world.guardEnds++;
    },
  },
  ...MODES.map(
    (mode): Fault => ({
      name: `guard: ${mode}`,
      weight: 0.7,
      async act({ world, random }) {
        await processOf(world, "process-guard");
        const before = world.guards.actsOf(mode);
        world.guards.behave(mode);
        try {
          await until(`the guard misbehaves (${mode})`, () => world.guards.actsOf(mode) > before);
          await pause(random.between(100, 1_000));
        } finally {
          world.guards.behave("good");
        }
        world.guardEnds++;
      },
    }),
  ),
];

/** A guard that ended too often rests for a minute: another hub starts its own count. */
async function processOf(world: World, guard: (typeof GUARD_NAMES)[number]): Promise<number> {
  if (world.guardEnds >= 3) {
    await world.hub.kill();
    await world.startHub();
  }
  await until(`${guard} runs`, () => world.guardProcesses(guard).length > 0);
  const [pid] = world.guardProcesses(guard);
  happened(pid !== undefined, `${guard} runs`);
  return pid as number;
}
