// The store's own thread: one writer, appends of many senders in one transaction, text indexed when nothing waits.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { createGroupCommit } from "./group-commit.js";
import type { StoreReply, StoreRequest } from "./messages.js";
import { openDatabase, sqliteVersion } from "./open-database.js";
import { createReader } from "./reader.js";
import { retain, usedBytes } from "./retention.js";
import { createTextIndex } from "./text-index.js";
import { createWriter } from "./writer.js";

const port = parentPort as MessagePort;
const database = openDatabase((workerData as { path: string }).path);
const reader = createReader(database);
const text = createTextIndex(database);
const commits = createGroupCommit(createWriter(database), { onIdle: indexSome });
let isClosing = false;
/** Requests that wait until all text is indexed. */
let waitingForText: number[] = [];

port.on("message", (request: StoreRequest) => {
  if (request.type === "append") return commits.append(request.rows, (error, result) => reply(request.call, error, result));
  try {
    const result = answer(request);
    if (request.type !== "indexed") reply(request.call, undefined, result);
  } catch (error) {
    reply(request.call, error, undefined);
  }
});
indexSome();

function answer(request: Exclude<StoreRequest, { type: "append" }>): unknown {
  switch (request.type) {
    case "page":
      return reader.page(request.filter, request.limit, request.before);
    case "after":
      return reader.after(request.place, request.filter, request.limit);
    case "get":
      return reader.get(request.id);
    case "sessions":
      return reader.sessions(request.limit);
    case "counts":
      return reader.counts(request.since);
    case "stats":
      return stats();
    case "retain":
      return retain(database, request.limits, Date.now());
    case "indexed":
      waitingForText.push(request.call);
      return indexSome();
    case "close":
      return close();
  }
}

function stats(): unknown {
  const { count } = database.prepare("SELECT count(*) AS count FROM events").get() as { count: number };
  return { events: count, bytes: usedBytes(database), unindexed: text.unindexed(), sqlite: sqliteVersion(database) };
}

/** A chunk at a time, and after each whatever has come in meanwhile goes first. */
function indexSome(): void {
  if (isClosing || commits.isBusy) return;
  let hasMore = false;
  try {
    hasMore = text.step();
  } catch (error) {
    return failWaiting(error);
  }
  if (hasMore) return void setImmediate(indexSome);
  for (const call of waitingForText) reply(call, undefined, undefined);
  waitingForText = [];
}

// A full disk: search lags behind until the next event finds room again.
function failWaiting(error: unknown): void {
  for (const call of waitingForText) reply(call, error, undefined);
  waitingForText = [];
}

function close(): void {
  commits.flush();
  isClosing = true;
  database.exec("PRAGMA optimize");
  database.close();
  setImmediate(() => port.close());
}

function reply(call: number, error: unknown, result: unknown): void {
  const message: StoreReply =
    error === undefined ? { call, result } : { call, error: error instanceof Error ? error.message : String(error) };
  port.postMessage(message);
}
