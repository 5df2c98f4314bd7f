import { readFileSync } from "node:fs";
import { type Judge, judgeStore } from "./judge.ts";
import { type Claim, type Counters, keyOf, readProgress } from "./oracle.ts";
import { type Crew, type Member, type Publisher, until } from "./processes.ts";
import { checkIntegrity, readRows, type StoredRow } from "./store-rows.ts";

const FRESH_MS = 5_000;
const FLUSH_MS = 60_000;

/** I9: an event that is emitted now can be read from the hub. `since` is when the last fault was over. */
export async function judgeFresh(judge: Judge, crew: Crew, { member, settings }: Publisher, since: number | undefined): Promise<void> {
  const { index, isFlushed } = await member.ask<{ index: number; isFlushed: boolean }>("fresh");
  const key = keyOf(settings.name, index);
  await until(`${key} can be read`, () => isReadable(crew, settings.name, key));
  const ms = Math.round(performance.now() - (since ?? performance.now()));
  judge.expect("I9", isFlushed, `${key} was not acknowledged`);
  if (since === undefined) return;
  judge.expect("I9", ms <= FRESH_MS, `a fresh event took ${ms} ms`);
  judge.note(`a fresh event was through ${ms} ms after the last fault`);
}

/** Whether the hub shows an event of a source. */
export async function isReadable(crew: Crew, source: string, key: string): Promise<boolean> {
  const newest = await crew.get(`/api/events?source=${source}&limit=200`).catch(() => "");
  return JSON.stringify(newest).includes(`"key":"${key}"`);
}

/** Has publishers send all they have, and takes down what they say of it. */
export async function claimsOf(publishers: readonly Publisher[]): Promise<Claim[]> {
  return Promise.all(
    publishers.map(async ({ member, settings: { name, seed, minChars } }) => {
      const { emitted, counters } = await member.ask<{ emitted: number; counters: Counters }>("stop", { flushMs: FLUSH_MS });
      return { name, seed, emitted, counters, ...(minChars !== undefined && { minChars }) };
    }),
  );
}

/** Ends the hub in order and compares its store with what was sent. */
export async function judgeHub(judge: Judge, crew: Crew, hub: Member, claims: readonly Claim[]): Promise<StoredRow[]> {
  await hub.ask("close");
  await hub.kill();
  const rows = readRows(crew.store);
  judgeStore(judge, rows, claims);
  judge.expect("I1", checkIntegrity(crew.store) === "ok", "SQLite says that the store is damaged");
  return rows;
}

/** A reader of the stream has seen every place once, and in order. Asked while the hub is still up. */
export async function judgeReader(judge: Judge, crew: Crew, reader: Member): Promise<void> {
  const { events } = await crew.get<{ events: { place: number }[] }>("/api/events?limit=1");
  const last = events[0]?.place ?? 0;
  await until("the reader has caught up", async () => (await reader.ask<number>("last")) >= last);
  const { places, connections } = await reader.ask<{ places: number[]; connections: number }>("report");
  const wrong = places.flatMap((place, index) => (place === index + 1 ? [] : [`the reader's ${index + 1}. event has place ${place}`]));
  judge.look("own", places.length, wrong.slice(0, 5));
  judge.note(`the reader saw ${places.length} events over ${connections} connections`);
}

/** kill -9, and what is owed then: every emit that returned if it was durable, else what was acknowledged. */
export async function killPublisher({ member, settings }: Publisher): Promise<Claim> {
  await member.kill();
  const { name, seed, progress = "", minChars, durable = false } = settings;
  const { emitted, acked } = readProgress(readFileSync(progress, "utf8"));
  return { name, seed, emitted, wasKilled: true, ...(!durable && { owed: acked }), ...(minChars !== undefined && { minChars }) };
}
