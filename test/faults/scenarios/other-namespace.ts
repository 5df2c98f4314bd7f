import { join } from "node:path";
import { configureGuard } from "../guard.ts";
import { Judge } from "../judge.ts";
import { inPidNamespace } from "../mount.ts";
import { Crew, type Publisher, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { judgeHub, killPublisher } from "../settling.ts";

const EVENTS = { short: 2_000, full: 7_000 };

/**
 * Processes in another PID namespace, as in a container: they do not see the hub's process, nor the hub theirs. They are guarded, and lose
 * nothing; also where the folder of the hub's sockets was not mounted, so that all they can do is spool.
 */
export const otherNamespace: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const runtime = join(crew.folder, "run");
  const [near, far] = [inPidNamespace(), inPidNamespace(runtime)];
  if (near === undefined || far === undefined)
    return { ...judge.verdict("other namespace", seed), skipped: "no namespace can be made here" };
  configureGuard(crew, 2_000);
  const hub = await crew.startHub();

  for (const [first, expected] of [
    ["fine 0", "pass"],
    ["forbidden 0", "deny"],
  ] as const) {
    const { verdict } = await crew.startCaller({ first, timeoutMs: 5_000 }, near);
    judge.expect("I7", verdict === expected, `"${first}" in another namespace: ${verdict}`);
  }
  const shut = await crew.startCaller({ first: "fine 0" }, far);
  judge.expect("I7", shut.verdict === "deny", `the hub cannot be reached, and a call is not denied: ${shut.verdict}`);
  judge.expect("own", shut.reason?.includes(join(runtime, "hookline")) === true, `the reason names no mount: ${shut.reason}`);
  judge.expect("own", shut.reports.includes("HL_HUB_UNREACHABLE"), `nothing was reported: ${shut.reports.join()}`);

  const publishers = [
    await crew.startPublisher(settingsOf(crew, "near", seed), near),
    await crew.startPublisher(settingsOf(crew, "far", seed + 1), far),
  ];
  await Promise.all(publishers.map((publisher) => emitSlowly(publisher, EVENTS[size])));
  await waitFor(judge, "the hub has all events of processes that still run", () => hasAll(crew, publishers, EVENTS[size]));
  const claims = await Promise.all(publishers.map(killPublisher));
  await waitFor(judge, "the hub has cleared the spool", () => crew.leftInSpool().length === 0);
  await judgeHub(judge, crew, hub, claims);
  return judge.verdict("other namespace", seed);
};

async function waitFor(judge: Judge, what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  judge.look(
    "own",
    1,
    await until(what, holds).then(
      () => [],
      (error: Error) => [error.message],
    ),
  );
}

function settingsOf(crew: Crew, name: string, seed: number): Publisher["settings"] {
  return { name, seed, burst: 1, everyMs: 10, durable: true, progress: join(crew.folder, `${name}.progress`) };
}

/** In many steps, so that the hub looks at the spool in between. */
async function emitSlowly({ member }: Publisher, count: number): Promise<void> {
  const end = performance.now() + 3_000;
  for (let left = count; left > 0; left -= 100) {
    await member.ask("emit", { count: Math.min(100, left) });
    const pauseMs = Math.max(0, (end - performance.now()) / (left / 100));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function hasAll(crew: Crew, publishers: readonly Publisher[], count: number): Promise<boolean> {
  const { store } = await crew.get<{ store: { events: number } }>("/api/status");
  return store.events >= count * publishers.length;
}
