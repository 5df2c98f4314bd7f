import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "../../../hookline/src/machine/lock.js";
import { ServerStore } from "./server-record.js";

test("what another process pins at the same moment stays: the record is read and written under one lock", () => {
  const env = { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), "hl-record-")) };
  const identity = { name: "files", target: ["node"] };
  const pin = (name: string) => ({ pins: { [name]: { hash: name, definition: name } } });
  const other = new ServerStore(identity, { env, withLock });
  // The other process writes at the last moment before the first one has the lock.
  const store = new ServerStore(identity, {
    env,
    withLock(path, busy, act) {
      other.update(({ pins }) => ({ pins: { ...pins, ...pin("theirs").pins } }));
      return withLock(path, busy, act);
    },
  });
  store.update(({ pins }) => ({ pins: { ...pins, ...pin("ours").pins } }));
  expect(Object.keys(store.read().pins).sort()).toEqual(["ours", "theirs"]);
});
