import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { quoted } from "@hookline/core/internal/text";
import { openDatabase } from "../../hub/store/open-database.js";
import { isSound, type StoredRow } from "../../hub/store/row-sum.js";
import { missingTables, readStoreVersion, SCHEMA_VERSION } from "../../hub/store/schema.js";
import { isRestored, refuseLostDatabase } from "../../hub/store/store-files.js";
import { findInstallation } from "../../machine/installation.js";
import { RESTART } from "../find-hub.js";
import { bytesText, countText } from "../format/amounts.js";
import { type Check, fail, ok, skip, warn } from "./check.js";

// A full check takes about a second for so many bytes.
const QUICK_BYTES = 500_000_000;
const MUCH_UNINDEXED = 100_000;
/** Positions that are listed. */
const SHOWN = 5;

export const storeChecks: readonly Check[] = [
  {
    id: "store",
    title: "The store is intact",
    fix: "hookline up --detach",
    async look({ data }) {
      const path = join(data, "events.db");
      if (!existsSync(path) && !existsSync(`${path}-wal`))
        return skip(`${path} does not exist; the hub creates it, or stores events elsewhere`);
      // Before SQLite opens it: of an empty database it would remove the log.
      const lost = errorOf(() => refuseLostDatabase(path));
      if (lost !== undefined) return fail(lost.message, isRestored(path) ? "hookline up --detach" : REPAIR);
      const version = readStoreVersion(path) ?? 0;
      if (version > SCHEMA_VERSION)
        return fail(`${path} was written by a newer Hookline (version ${version} of the store)`, findInstallation().update);
      const { size } = statSync(path);
      const fault = await findStoreFault(path, size <= QUICK_BYTES);
      if (fault === undefined) return ok(`${path}, ${bytesText(size)}${size <= QUICK_BYTES ? "" : " (opened, but not fully checked)"}`);
      // SQLite needs files of its own beside a store.
      if (!canWrite(data)) return skip(`it cannot be read while ${data} cannot be written to`);
      return fail(`${path}: ${fault}`, REPAIR);
    },
  },
  {
    id: "store-events",
    title: "Stored events are as they arrived",
    fix: "hookline verify",
    look({ data }) {
      const path = join(data, "events.db");
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size === 0) return skip("there is no store here");
      if (size > QUICK_BYTES) return skip("the store is too large to check all of them here");
      const places = damagedPlaces(path);
      if (places === undefined) return skip("the store cannot be read");
      if (places.length === 0) return ok("the checksum of every event holds");
      const first = places.slice(0, SHOWN).join(", ");
      return warn(
        `${countText(places.length, "event")} changed in the file and cannot be shown, at ${places.length > SHOWN ? `the positions ${first}, …` : `position ${first}`}. To see whether decisions are among them`,
      );
    },
  },
  {
    id: "store-index",
    title: "Text search covers all events",
    fix: RESTART,
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { unindexed } = (await status()).store ?? {};
      if (unindexed === undefined) return skip("the store cannot be read");
      return unindexed <= MUCH_UNINDEXED
        ? ok(`${countText(unindexed, "event")} left to index`)
        : warn(`${countText(unindexed, "event")} cannot be found by text yet`);
    },
  },
  {
    id: "disk-full",
    title: "The hub accepts events",
    fix: "df -h",
    async look({ hub, status, data }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { status: state } = await status();
      if (state === "store_failed") return fail("its store fails", REPAIR);
      return state === "ok" ? ok("yes") : fail("its disk is full", `df -h ${quoted(data)}`);
    },
  },
];

const REPAIR = "hookline down --force; hookline doctor --repair && hookline up --detach";

function versionIn(database: DatabaseSync): number {
  return (database.prepare("PRAGMA user_version").get() as { readonly user_version: number }).user_version;
}

/** Positions of events whose text is not the one that was stored; undefined if SQLite cannot read them all. */
function damagedPlaces(path: string): number[] | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(path, { readOnly: true });
    const rows = database.prepare("SELECT place, body, sum FROM events").iterate();
    return Array.from(rows as Iterable<unknown> as Iterable<StoredRow>).flatMap(({ place, body, sum }) =>
      isSound(body, sum) ? [] : [place],
    );
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

function errorOf(act: () => void): Error | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function canWrite(folder: string): boolean {
  return errorOf(() => accessSync(folder, constants.W_OK)) === undefined;
}

async function findStoreFault(path: string, isThorough: boolean): Promise<string | undefined> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
    try {
      const [missing] = versionIn(database) === SCHEMA_VERSION ? missingTables(database) : [];
      if (missing !== undefined) return `the table "${missing}" is missing`;
      if (!isThorough) return void database.prepare("SELECT count(*) FROM sqlite_schema").get();
      const { quick_check: said } = database.prepare("PRAGMA quick_check(1)").get() as { readonly quick_check: string };
      return said === "ok" ? undefined : said;
    } finally {
      database.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}
