import { readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { type Judge, judgeStore } from "../faults/judge.ts";
import { type Claim, type Counters, keyOf } from "../faults/oracle.ts";
import { until } from "../faults/processes.ts";
import { claimsOf, isReadable } from "../faults/settling.ts";
import { expectedOf, judgeSink, type SinkRow } from "../faults/sink-rows.ts";
import { checkIntegrity, readRows, type StoredRow } from "../faults/store-rows.ts";
import { openOf, processesOf } from "../faults/system.ts";
import { CANARY } from "./canary.ts";
import { GUARD_NAMES } from "./guards.ts";
import { PUBLISHERS, type World } from "./world.ts";

const FRESH_MS = 5_000;
/** A guard that ended three times rests for a minute. */
const REST_MS = 75_000;
/** Until the hub has seen that a guard's accepted version is back, it lists the guard as waiting, and rightly so. */
const LISTED_MS = 20_000;
const QUEUE_COUNT = 10_000;

/** Rows of publishers. The hub and those who ask it are not among them. */
export function ofPublishers(rows: readonly StoredRow[]): StoredRow[] {
  return rows.filter(({ app }) => PUBLISHERS.some((role) => app.startsWith(`${role}-`)));
}

/** When the last fault is over: lets all come to rest, and judges what there is. Nothing runs afterwards. */
export async function judgeWorld(judge: Judge, world: World): Promise<{ readonly events: number }> {
  const since = performance.now();
  await judgeLiveness(judge, world, since);
  await judgeGuards(judge, world);
  const claims = await claimsNow(judge, world);
  await judgeCalls(judge, world);
  await until("the sinks have caught up", () => haveCaughtUp(world), 180_000);
  const seen = await placesSeen(world);
  await judgeRest(judge, world);
  await until("the spool is collected", () => world.crew.spooled().length === 0, 120_000);
  await until("the sinks have caught up again", () => haveCaughtUp(world));
  await world.hub.ask("close");
  await world.hub.kill();
  const rows = readRows(join(world.data, "events.db"));
  judgeRows(judge, world, rows, claims);
  judgePlaces(judge, rows, seen);
  judgeSecrets(judge, world);
  await judgeProcesses(judge, world);
  return { events: rows.length };
}

/** I9: a fresh event can be read, and a fresh call passes. */
async function judgeLiveness(judge: Judge, world: World, since: number): Promise<void> {
  await Promise.all([
    ...PUBLISHERS.map(async (role) => {
      const { member, settings } = world.publisher(role);
      const { index } = await member.ask<{ index: number }>("fresh");
      const key = keyOf(settings.name, index);
      await until(`${key} can be read`, () => isReadable(world.crew, settings.name, key));
      judgeTime(judge, `a fresh event of ${role}`, performance.now() - since, FRESH_MS);
    }),
    (async () => {
      const caller = world.member("caller");
      const { allowed } = await caller.ask<{ allowed: number }>("counts");
      await until("a call passes", async () => (await caller.ask<{ allowed: number }>("counts")).allowed > allowed, REST_MS * 2);
      judgeTime(judge, "a fresh call", performance.now() - since, world.guardEnds >= 3 ? REST_MS : FRESH_MS);
    })(),
  ]);
}

/** On a machine that has more to do than its cores can, only whether it happens is judged, and the time is noted. */
function judgeTime(judge: Judge, what: string, ms: number, limit: number): void {
  const isBusy = (loadavg()[0] as number) > availableParallelism() * 1.5;
  judge.expect("I9", ms <= limit || isBusy, `${what} took ${Math.round(ms)} ms`);
  if (ms > limit) judge.note(`${what} took ${Math.round(ms)} ms${isBusy ? `, at a load of ${loadavg()[0]?.toFixed(0)}` : ""}`);
}

/** I12: a guard that is listed as active sees a call and denies what it forbids. */
async function judgeGuards(judge: Judge, world: World): Promise<void> {
  let states: readonly (string | undefined)[] = [];
  const areActive = async (): Promise<boolean> => {
    const { hooks } = await world.crew
      .get<{ hooks: { name: string; state: string }[] }>("/api/handlers")
      .catch(() => ({ hooks: [] as { name: string; state: string }[] }));
    states = GUARD_NAMES.map((guard) => hooks.find(({ name }) => name === guard)?.state);
    return states.every((state) => state === "active");
  };
  await until("the guards are listed as active", areActive, LISTED_MS).catch(() => {});
  const command = `fine-last ${world.seed}`;
  await until(
    "a call passes",
    async () => {
      const { verdict } = await world.member("caller").ask<{ verdict: string }>("call", { command });
      return verdict === "pass" || verdict === "allow";
    },
    REST_MS * 2,
  );
  for (const [index, guard] of GUARD_NAMES.entries()) {
    judge.expect("I12", states[index] === "active", `${guard} is listed as ${states[index]}`);
    judge.expect("I12", world.guards.passedBy(guard).has(command), `${guard} is listed as active, and did not see a call that passed`);
  }
  const { verdict, reason } = await world
    .member("caller")
    .ask<{ verdict: string; reason?: string }>("call", { command: "forbidden at last" });
  judge.expect("I12", verdict === "deny", `a forbidden call: ${verdict} ${reason}`);
}

async function claimsNow(judge: Judge, world: World): Promise<Claim[]> {
  const publishers = PUBLISHERS.map((role) => world.publisher(role));
  const claims = await claimsOf(publishers);
  for (const { counters } of claims)
    if (counters !== undefined)
      judge.expect("I6", counters.pending <= QUEUE_COUNT, `${counters.pending} events wait in a queue of ${QUEUE_COUNT}`);
  const { refusals } = await world.member("http").ask<{ refusals: string[] }>("stop");
  judge.look("own", 1, refusals.slice(0, 3));
  // Over HTTP nothing but the answer counts: there are no counters.
  return [
    ...claims.map((claim) => (claim.counters === undefined ? withoutCounters(claim) : claim)),
    ...world.killed.map(({ claim }) => claim),
  ];
}

function withoutCounters({ counters: _, ...claim }: Claim & { counters?: Counters }): Claim {
  return claim;
}

/** I7: every call that passed was let pass by both guards, and where a person was asked, by the person. */
async function judgeCalls(judge: Judge, world: World): Promise<void> {
  const asked = await Promise.all((["caller", "asker"] as const).map((role) => world.member(role).ask<{ asked: number }>("stop")));
  const passed = ["caller.log", "asker.log"].flatMap((name) => linesOf(world.file(name)));
  const guards = GUARD_NAMES.map((guard) => [guard, world.guards.passedBy(guard)] as const);
  const approved = new Set(linesOf(world.file("approver.log")).flatMap((line) => (line.startsWith("allow ") ? [line.slice(6)] : [])));
  judge.look("I7", passed.length + asked.reduce((sum, { asked: count }) => sum + count, 0), [
    ...passed.filter((command) => command.startsWith("forbidden")).map((command) => `"${command}" passed`),
    ...passed.flatMap((command) =>
      guards.filter(([, seen]) => !seen.has(command)).map(([guard]) => `"${command}" passed without ${guard}`),
    ),
  ]);
  const questions = passed.filter((command) => command.startsWith("ask-"));
  judge.look(
    "I13",
    questions.length,
    questions.filter((command) => !approved.has(command)).map((command) => `"${command}" passed, and the person did not allow it`),
  );
}

async function haveCaughtUp(world: World): Promise<boolean> {
  const { sinks } = await world.crew.get<{ sinks: { behind: number }[] }>("/api/sinks").catch(() => ({ sinks: [] }));
  return sinks.length === 3 && sinks.every(({ behind }) => behind === 0);
}

/** What the reader of the stream has seen when it has caught up. */
async function placesSeen(world: World): Promise<readonly number[]> {
  const { events } = await world.crew.get<{ events: { place: number }[] }>("/api/events?limit=1");
  const reader = world.member("reader");
  await until("the reader has caught up", async () => (await reader.ask<number>("last")) >= (events[0]?.place ?? 0), 180_000);
  return (await reader.ask<{ places: number[] }>("report")).places;
}

/** The reader saw every event of the store once, in its order. What came after it was asked does not count. */
function judgePlaces(judge: Judge, rows: readonly StoredRow[], seen: readonly number[]): void {
  const stored = rows.map(({ place }) => place).filter((place) => place <= (seen.at(-1) ?? 0));
  const wrong = stored.findIndex((place, index) => seen[index] !== place);
  const faults =
    wrong === -1 && seen.length === stored.length
      ? []
      : [`the stream's event ${wrong} has place ${seen[wrong]}, not ${stored[wrong]} (${seen.length} of ${stored.length})`];
  judge.look("own", seen.length, faults);
}

/** I10: with its clients gone, the hub holds no more than the first one did before it had any. */
async function judgeRest(judge: Judge, world: World): Promise<void> {
  for (const role of [...PUBLISHERS, "reader", "caller", "asker", "approver"] as const) await world.member(role).kill();
  const { pid } = world.hub;
  const tooMany = (): string[] =>
    Object.entries(openOf(pid)).flatMap(([kind, count]) => {
      const most = (world.atFirst[kind] ?? 0) + SINK_SOCKETS;
      return count > most ? [`${count} ${kind} are open in a hub at rest, and ${world.atFirst[kind] ?? 0} were at first`] : [];
    });
  await until("the hub is at rest", () => tooMany().length === 0, 30_000).catch(() => {});
  judge.look("I10", Object.keys(world.atFirst).length, tooMany());
}

/** Sinks connect with their first event, and may have a connection that is about to close. */
const SINK_SOCKETS = 4;

/** I1 to I5 and I8, in the store and in each sink. */
function judgeRows(judge: Judge, world: World, rows: readonly StoredRow[], claims: readonly Claim[]): void {
  judgeStore(judge, ofPublishers(rows), claims);
  const ids = new Set(rows.map(({ id }) => id));
  judge.look("I5", 0, ids.size === rows.length ? [] : [`${rows.length - ids.size} ids are there twice`]);
  judge.expect("I1", checkIntegrity(join(world.data, "events.db")) === "ok", "SQLite says that the store is damaged");
  const expected = expectedOf(rows);
  for (const name of ["sink.jsonl", "webhook.log", "socket.log"]) judgeSink(judge, name, sinkRows(world.file(name)), expected);
}

function sinkRows(path: string): SinkRow[] {
  return linesOf(path).map((line) => {
    const { id, payload } = JSON.parse(line) as { id: string; payload: unknown };
    return { id, payload: JSON.stringify(payload) };
  });
}

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").filter(Boolean);
}

/** I11: the canary is in no file: not in the store, its log, a sink, a spool or a message. */
function judgeSecrets(judge: Judge, world: World): void {
  const files = [world.crew.folder, world.data].flatMap(filesBelow);
  const found = files.filter((path) => readFileSync(path).includes(CANARY));
  judge.look(
    "I11",
    files.length,
    found.map((path) => `the canary is in ${path.slice(world.crew.folder.length)}`),
  );
  const { stdout, stderr } = world.hub;
  judge.expect("I11", !`${stdout}${stderr}`.includes(CANARY), "the hub printed the canary");
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    // Images of the disk also hold what was deleted, and the hub never reads them.
    if (entry.isDirectory()) return ["images", "memory"].includes(entry.name) ? [] : filesBelow(path);
    return entry.isFile() && statSync(path).size < 512 * 1024 * 1024 ? [path] : [];
  });
}

/** I10: with the hub closed, nothing that it started is left, and no half-written file. */
async function judgeProcesses(judge: Judge, world: World): Promise<void> {
  for (const role of ["webhook", "socket"] as const) await world.member(role).kill();
  const { folder, state } = world.crew;
  await until("all processes have ended", () => processesOf(folder).length === 0, 20_000).catch(() => {});
  const left = processesOf(folder);
  judge.look(
    "I10",
    1,
    left.map(({ pid, command }) => `a process is left: ${pid} ${command}`),
  );
  const halves = [state, world.data].flatMap(filesBelow).filter((path) => /\.tmp$|\.new$|\/\.hub/.test(path));
  judge.look(
    "I10",
    1,
    halves.map((path) => `${path.slice(folder.length)} is left`),
  );
}
