// The store's own thread: one writer, appends of many senders in one transaction, text indexed when nothing waits.
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { createArrivals } from "./arrivals.js";
import { createBackground } from "./background.js";
import { createBallast } from "./ballast.js";
import { holdsHead, openChain } from "./chain.js";
import { isDiskFull, mayBeDiskFull } from "./disk-full.js";
import { eraseSome, scrub } from "./erase.js";
import { createGroupCommit } from "./group-commit.js";
import { readHandlers } from "./handler-reader.js";
import { createHandlerWriter } from "./handler-writer.js";
import { keepWithin } from "./keep-within.js";
import type { StoreReply, StoreRequest } from "./messages.js";
import { openDatabase, sqliteVersion } from "./open-database.js";
import { createOriginWriter, readOtherOwner, readOwner } from "./origin-table.js";
import { readOverview, readTools } from "./overview.js";
import { unpackRows } from "./packed-rows.js";
import { createReader } from "./reader.js";
import { countExcess, type Retained, retainSome, usedBytes } from "./retention.js";
import { watchStoreFiles } from "./store-files.js";
import { isCorrupt, StoreFaultError, watchStoreHealth } from "./store-health.js";
import { createTextIndex } from "./text-index.js";
import { readTranscriptHeads } from "./transcript-heads.js";
import { readUsage } from "./usage-table.js";
import { createWriter, type Marks } from "./writer.js";

const { path, ballastBytes, mustExist } = workerData as { path: string; ballastBytes: number; mustExist: boolean };
const AGE_MS = 60_000;
const port = parentPort as MessagePort;
const ballast = createBallast(join(dirname(path), "ballast"), ballastBytes);
let isFull = ballast.releaseIfNeeded();
const database = openAnyway();
const reader = createReader(database);
const cursors = createCursors(database);
const facts = createFacts(database);
const text = createTextIndex(database);
const background = createBackground(workSome);
const handlers = createHandlerWriter(database);
const chain = openChain(database);
const origins = createOriginWriter(database);
const arrivals = createArrivals(database);
const retained: Retained = { database, chain, arrivals };
const limits = keepWithin(retained);
const { locking_mode: locking } = database.prepare("PRAGMA locking_mode").get() as { readonly locking_mode: string };
const files = watchStoreFiles(path, { hasIndex: locking === "normal" });
const health = watchStoreHealth(createWriter(database, { handlers, chain, origins, arrivals }), {
  database,
  files,
  onFault: (fault) => port.postMessage({ fault } satisfies StoreReply),
  // The hub opens the store again in a new thread.
  onRestored() {
    files.close();
    process.exit();
  },
});
const commits = createGroupCommit(health.writer, {
  makeRoom(rows) {
    if (limits.makeRoom(rows)) origins.forget();
  },
  maxChars: () => limits.batchChars,
  onCommit: background.disturb,
});
/** What arrived long ago is looked for also while nothing arrives. */
const ageTimer = setInterval(() => background.disturb(0), AGE_MS).unref();
/** What kept retention from its work the last time. */
let retentionFault = "";
/** Requests that wait until all text is indexed. */
let waitingForText: number[] = [];

port.on("message", (request: StoreRequest) => {
  health.check();
  try {
    if (request.type === "append")
      return commits.append(unpackRows(request.rows), request.marks, (error, places) => appended(request.call, error, places));
    const result = answer(request);
    if (request.type !== "indexed") reply(request.call, undefined, result);
  } catch (error) {
    reply(request.call, error, undefined);
  }
});
background.run();

/** On a full disk too: then no other process can read the store while the hub runs. */
function openAnyway(): DatabaseSync {
  const options = { mustExist, onProgress: (progress: string) => port.postMessage({ progress } satisfies StoreReply) };
  try {
    return openDatabase(path, options);
  } catch (error) {
    if (!mayBeDiskFull(error)) throw error;
    isFull = true;
    ballast.release();
    return openDatabase(path, { ...options, isAlone: true });
  }
}

function answer(request: Exclude<StoreRequest, { type: "append" }>): unknown {
  switch (request.type) {
    case "page":
      return reader.page(request.filter, request.before, request.share);
    case "after":
      return reader.after(request.place, request.filter, request.share);
    case "inTime":
      return reader.inTime(request.filter, request);
    case "family":
      return reader.family(request.session, request.limit);
    case "get":
      return reader.get(request.id);
    case "idsThatBegin":
      return reader.idsThatBegin(request.begins, request.limit);
    case "sessions":
      return reader.sessions(request.limit, request.of);
    case "session":
      return reader.session(request.id);
    case "watchedSince":
      return reader.watchedSince(request.sessions);
    case "counts":
      return reader.counts(request.since);
    case "overview":
      return readOverview(database, request.range);
    case "usage":
      return readUsage(database, request.bounds);
    case "tools":
      return readTools(database);
    case "handlers":
      return readHandlers(database, request.range);
    case "fired":
      return handlers.fired(request.handlers);
    case "lastPlace":
      return reader.lastPlace();
    case "cursor":
      return cursors.get(request.name);
    case "cursors":
      return cursors.startingWith(request.prefix);
    case "setCursor":
      return cursors.set(request.name, request.place);
    case "fact":
      return facts.get(request.name);
    case "setFact":
      return facts.set(request.name, request.value);
    case "stats":
      return stats();
    case "retain":
      // What waits to be written waits for one step, not for all.
      commits.flush();
      origins.forget();
      return retainSome(retained, request.limits);
    case "excess":
      return countExcess(retained, request.limits);
    case "keepWithin":
      limits.adopt(request.limits);
      text.limitParts(request.limits.maxBytes);
      return background.run();
    case "erase":
      commits.flush();
      origins.forget();
      return eraseSome(database, chain, request.erasure);
    case "scrub":
      commits.flush();
      return scrub(database, path);
    case "identify":
      return origins.identify(request.origin);
    case "ownerOf":
      return readOwner(database, request.instance);
    case "provedBy":
      return readOtherOwner(database, request.id);
    case "chainHead":
      return chain.head;
    case "holdsHead":
      return holdsHead(database, chain, request.head);
    case "transcriptHeads":
      return readTranscriptHeads(database, request.id);
    case "indexed":
      waitingForText.push(request.call);
      return background.run();
    case "close":
      return close();
  }
}

function appended(call: number, error: unknown, places: readonly number[] | undefined): void {
  if (error !== undefined && isDiskFull(error)) makeRoom();
  else if (isFull) {
    isFull = false;
    ballast.restore();
  }
  reply(call, error, places);
}

/** What the ballast frees lets the log be folded into the database, which makes room in the log. */
function makeRoom(): void {
  isFull = true;
  if (!ballast.release()) return;
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // Another program took the space. The next append tries again.
  }
}

function stats(): unknown {
  const { place: events } = database.prepare("SELECT place FROM progress WHERE name = 'events'").get() as { place: number };
  const { unindexed, until } = text.behind();
  return {
    events,
    bytes: usedBytes(database),
    unindexed,
    ...(until !== undefined && { indexedUntil: until }),
    sqlite: sqliteVersion(database),
  };
}

/** A little of both, so that neither waits for the other to end. */
function workSome(): boolean {
  health.check();
  const isRetaining = retainSlowly();
  return indexSome() || isRetaining;
}

function retainSlowly(): boolean {
  try {
    const hasMore = limits.step();
    if (hasMore) origins.forget();
    retentionFault = "";
    return hasMore;
  } catch (error) {
    // Said once: it is tried again after the next append.
    const said = (error as Error).message;
    if (said !== retentionFault) port.postMessage({ problem: `Old events could not be removed: ${said}.` } satisfies StoreReply);
    retentionFault = said;
    return false;
  }
}

/** A chunk of events; false when there is no more to do. */
function indexSome(): boolean {
  try {
    if (text.step()) return true;
  } catch (error) {
    failWaiting(error);
    return false;
  }
  for (const call of waitingForText) reply(call, undefined, undefined);
  waitingForText = [];
  return false;
}

// A full disk: search lags behind until the next event finds room again.
function failWaiting(error: unknown): void {
  for (const call of waitingForText) reply(call, error, undefined);
  waitingForText = [];
}

function close(): void {
  commits.flush();
  background.stop();
  clearInterval(ageTimer);
  health.close();
  try {
    database.exec("PRAGMA optimize");
  } catch {
    // A full disk must not keep the store from closing.
  }
  database.close();
  files.close();
  setImmediate(() => port.close());
}

function reply(call: number, error: unknown, result: unknown): void {
  const message: StoreReply =
    error === undefined
      ? { call, result }
      : {
          call,
          error: {
            message: error instanceof Error ? error.message : String(error),
            isDiskFull: isDiskFull(error),
            isDamaged: isCorrupt(error) || (error instanceof StoreFaultError && error.fault.kind === "damaged"),
          },
        };
  port.postMessage(message);
}

/** How far each reader that comes back has got. */
function createCursors(database: DatabaseSync): {
  get(name: string): number | undefined;
  startingWith(prefix: string): Marks;
  set(name: string, place: number): void;
} {
  const get = database.prepare("SELECT place FROM cursors WHERE name = ?");
  const set = database.prepare("INSERT INTO cursors VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET place = excluded.place");
  const range = database.prepare("SELECT name, place FROM cursors WHERE name >= ? AND name < ?");
  return {
    get: (name) => (get.get(name) as { place: number } | undefined)?.place,
    startingWith: (prefix) => Object.fromEntries(range.all(prefix, `${prefix}\u{10ffff}`).map(({ name, place }) => [name, place])) as Marks,
    set: (name, place) => void set.run(name, place),
  };
}

function createFacts(database: DatabaseSync): {
  get(name: string): string | undefined;
  set(name: string, value: string | undefined): void;
} {
  const get = database.prepare("SELECT value FROM facts WHERE name = ?");
  const set = database.prepare("INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value");
  const remove = database.prepare("DELETE FROM facts WHERE name = ?");
  return {
    get: (name) => (get.get(name) as { value: string } | undefined)?.value,
    set: (name, value) => void (value === undefined ? remove.run(name) : set.run(name, value)),
  };
}
