import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fill } from "../full-disk.ts";
import { Judge, judgeStore } from "../judge.ts";
import { onSmallDisk } from "../mount.ts";
import { ackedBy } from "../nemesis.ts";
import { Crew, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { claimsOf, judgeFresh } from "../settling.ts";
import { checkIntegrity, readRows } from "../store-rows.ts";

/** The hub is started while its disk is full, with its ballast and without: it serves what is stored, and stores again when there is room. */
export const fullDiskStart: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const data = join(crew.folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const through = onSmallDisk(data, 48);
  if (through === undefined) return { ...judge.verdict("full disk at the start", seed), skipped: "no file system can be mounted here" };
  const hub = await crew.startHub({ data }, through);
  const inside = join(`/proc/${hub.pid}/root`, data);
  const publisher = await crew.startPublisher({ name: "a", seed, burst: 8, everyMs: 20 });
  await publisher.member.ask("go");
  await until("something is stored", async () => (await ackedBy([publisher])) > 100);
  let since = performance.now();
  for (const hasBallast of [true, false]) {
    await hub.ask("close");
    judge.happened(existsSync(join(inside, "ballast")) === hasBallast, `there is ${hasBallast ? "" : "no "}ballast`);
    takeAll(inside, hasBallast ? "filler" : "more");
    await hub.ask("open");
    const { events } = await crew.get<{ events: unknown[] }>("/api/events?limit=10");
    judge.expect("own", events.length === 10, `with ballast: ${hasBallast}: ${events.length} of 10 stored events are served`);
    judge.expect("own", !existsSync(join(inside, "ballast")), "the ballast is still there");
  }
  await until("the hub says that the disk is full", async () => {
    takeAll(inside, "rest");
    return (await crew.get<{ status: string }>("/api/hooks/health")).status === "disk_full";
  });
  for (const name of ["filler", "more", "rest"]) rmSync(join(inside, name), { force: true });
  since = performance.now();
  await until("the hub can store again", async () => (await crew.get<{ status: string }>("/api/hooks/health")).status === "ok");
  await judgeFresh(judge, crew, publisher, size === "full" ? since : undefined);
  const claims = await claimsOf([publisher]);
  await hub.ask("close");
  cpSync(inside, join(crew.folder, "copy"), { recursive: true });
  await hub.kill();
  const store = join(crew.folder, "copy", "events.db");
  judgeStore(judge, readRows(store), claims);
  judge.expect("I1", checkIntegrity(store) === "ok", "SQLite says that the store is damaged");
  return judge.verdict("full disk at the start", seed);
};

/** The disk of the state folder is full when the tokens are replaced: nothing is replaced, and the answer says why. */
export const fullStateDisk: Scenario = async (seed) => {
  await using crew = new Crew();
  const judge = new Judge();
  const [state, data] = [join(crew.folder, "state"), join(crew.folder, "data")];
  mkdirSync(data, { mode: 0o700 });
  const through = onSmallDisk(state, 8);
  if (through === undefined) return { ...judge.verdict("full state disk", seed), skipped: "no file system can be mounted here" };
  const hub = crew.start("hub", { data }, { through });
  const { url } = await hub.ask<{ url: string }>("ready");
  const inside = join(`/proc/${hub.pid}/root`, state);
  const operator = (): string =>
    (JSON.parse(readFileSync(join(inside, "hookline", "operator.json"), "utf8")) as { readonly token: string }).token;
  const ask = (token: string, method: string, path: string) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(method === "POST" && { "content-type": "application/json" }) },
      ...(method === "POST" && { body: "{}" }),
    });
  const before = operator();
  takeAll(inside, "filler");
  const refused = await ask(before, "POST", "/api/token/rotate");
  const text = await refused.text();
  judge.happened(refused.status !== 200, "the disk is full");
  judge.expect("own", refused.status === 507 && text.includes("HL_DISK_FULL"), `the answer is ${refused.status}: ${text.slice(0, 300)}`);
  judge.expect("own", operator() === before, "the file has another token");
  judge.expect("own", (await ask(before, "GET", "/api/status")).status === 200, "the token from before is refused");
  rmSync(join(inside, "filler"));
  judge.expect("own", (await ask(before, "POST", "/api/token/rotate")).status === 200, "with room, the tokens cannot be replaced");
  judge.expect("own", (await ask(before, "GET", "/api/status")).status === 401, "the token from before still works");
  judge.expect("own", (await ask(operator(), "GET", "/api/status")).status === 200, "the new token does not work");
  return judge.verdict("full state disk", seed);
};

function takeAll(folder: string, name: string): void {
  const filler = openSync(join(folder, name), "a", 0o600);
  try {
    fill(filler);
  } finally {
    closeSync(filler);
  }
}
