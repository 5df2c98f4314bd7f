import { join } from "node:path";
import { readVersion } from "../../hub/lifecycle/version.js";
import type { StatusAnswer } from "../../hub/protocol.js";
import { readStoreVersion, SCHEMA_VERSION } from "../../hub/store/schema.js";

/** Whether the hub is of another version than this command. A version's number changes with a release, that of the store with each change of its tables. */
export function isOtherVersion({ version, data }: Pick<StatusAnswer, "version" | "data">): boolean {
  return version !== readVersion() || (readStoreVersion(join(data, "events.db")) ?? SCHEMA_VERSION) < SCHEMA_VERSION;
}
