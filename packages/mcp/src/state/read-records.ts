import { readdirSync } from "node:fs";
import { readRecord, recordsFolder, type ServerRecord } from "./server-record.js";

export interface FoundRecord {
  readonly id: string;
  readonly record: ServerRecord;
}

/** The records of all servers, by name. */
export function readRecords(env: NodeJS.ProcessEnv): readonly FoundRecord[] {
  const folder = recordsFolder(env);
  let names: string[] = [];
  try {
    names = readdirSync(folder).sort();
  } catch {
    // No gateway ran yet.
  }
  return names.flatMap((file) => {
    const id = file.endsWith(".json") ? file.slice(0, -".json".length) : undefined;
    const record = id === undefined ? undefined : readRecord(folder, id);
    return id === undefined || record === undefined ? [] : [{ id, record }];
  });
}
