import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { quoted } from "@hookline/core/internal/text";
import { missingTables, readStoreVersion, SCHEMA_VERSION, UPDATE } from "../../hub/store/schema.js";
import { RESTART } from "../find-hub.js";
import { bytesText, countText } from "../format/amounts.js";
import { type Check, fail, ok, skip, warn } from "./check.js";

// A full check takes about a second for so many bytes.
const QUICK_BYTES = 500_000_000;
const MUCH_UNINDEXED = 100_000;

export const storeChecks: readonly Check[] = [
  {
    id: "store",
    title: "The store is intact",
    fix: "hookline up --detach",
    async look({ data }) {
      const path = join(data, "events.db");
      if (!existsSync(path) && !existsSync(`${path}-wal`))
        return skip(`${path} does not exist; the hub creates it, or stores events elsewhere`);
      if (!existsSync(path)) return fail(`${path} is missing, but its log has events`, REPAIR);
      const version = readStoreVersion(path) ?? 0;
      if (version > SCHEMA_VERSION) return fail(`${path} was written by a newer Hookline (version ${version} of the store)`, UPDATE);
      const { size } = statSync(path);
      const fault = await findStoreFault(path, size <= QUICK_BYTES);
      if (fault === undefined) return ok(`${path}, ${bytesText(size)}${size <= QUICK_BYTES ? "" : " (opened, but not fully checked)"}`);
      return fail(`${path}: ${fault}`, REPAIR);
    },
  },
  {
    id: "store-index",
    title: "Text search covers all events",
    fix: RESTART,
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { unindexed } = (await status()).store;
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
      return (await status()).status === "ok" ? ok("yes") : fail("its disk is full", `df -h ${quoted(data)}`);
    },
  },
];

const REPAIR = "hookline down --force; hookline doctor --repair && hookline up --detach";

function versionIn(database: DatabaseSync): number {
  return (database.prepare("PRAGMA user_version").get() as { readonly user_version: number }).user_version;
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
