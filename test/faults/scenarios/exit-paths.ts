import { Judge } from "../judge.ts";
import { freeze, thaw } from "../nemesis.ts";
import type { Claim } from "../oracle.ts";
import { Crew, type Ending, type Member, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { judgeHub } from "../settling.ts";

/** More than the system holds for a socket that nobody reads, so that some writes stand. */
const EVENTS = { short: 1_500, full: 5_000 };
/** No way out may take longer, whatever the hub does. */
const END_MS = 20_000;
const HUBS = ["up", "frozen", "down"] as const;
/** How a process may end, and how that looks from outside. */
const WAYS: { readonly [way: string]: (ending: Ending) => boolean } = {
  exit: ({ code }) => code === 7,
  uncaught: ({ code }) => code === 1,
  rejection: ({ code }) => code === 1,
  SIGTERM: ({ signal }) => signal === "SIGTERM",
  SIGINT: ({ signal }) => signal === "SIGINT",
  natural: ({ code }) => code === 0,
};

/** Every way a publisher can end on which JavaScript still runs, with the hub up, frozen and gone: what it emitted arrives. */
export const exitPaths: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const claims: Claim[] = [];
  let hub = await crew.startHub();
  for (const state of HUBS) {
    const endings = Object.keys(WAYS).map((way, index) => {
      const claim: Claim = { name: `${state}-${way}`, seed: seed + index, emitted: EVENTS[size] };
      claims.push(claim);
      return { way, member: crew.start("ending", { ...claim, count: EVENTS[size], way }, { hasChannel: false }) };
    });
    await Promise.all(endings.map(({ member }) => until("it is attached", () => member.stdout.includes("attached"))));
    if (state === "frozen") judge.happened(await freeze(hub), "the hub stands still");
    if (state === "down") await hub.kill();
    await Promise.all(endings.map(({ way, member }) => judgeEnding(judge, `${way}, hub ${state}`, member, WAYS[way] as never)));
    if (state !== "up") judge.happened(crew.spooled().length > 0, `something was left in the spool (${state})`);
    if (state === "frozen") thaw(hub);
    if (state === "down") hub = await crew.startHub();
    await until("the hub has collected the spool", () => crew.spooled().length === 0);
  }
  await judgeHub(judge, crew, hub, claims);
  return judge.verdict("publisher exits", seed);
};

async function judgeEnding(judge: Judge, name: string, member: Member, isAsMeant: (ending: Ending) => boolean): Promise<void> {
  member.child.stdin?.write("go\n");
  const timer = setTimeout(() => void member.kill(), END_MS);
  const ending = await member.ended;
  clearTimeout(timer);
  judge.expect(
    "own",
    isAsMeant(ending),
    `${name}: ended with ${ending.code ?? ending.signal}, within ${END_MS} ms or killed then. ${ending.stderr.slice(-300)}`,
  );
}
