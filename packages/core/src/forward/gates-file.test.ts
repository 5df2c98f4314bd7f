import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
import { GATES_FILE, readGatesFile, removeGatesFile, writeGatesFile } from "./gates-file.js";

const gate = { event: "tool:before", timeoutMs: 1_000, onFailure: "closed" } as const;
const file = { instance: "first", gates: [gate] };

it("reads back what was written, for its owner alone, and removes only its own", () => {
  const folder = join(testFolder(), "state");
  writeGatesFile(folder, file);
  expect(readGatesFile(folder)).toEqual({ state: "found", file });
  expect([statSync(join(folder, GATES_FILE)).mode & 0o777, readdirSync(folder)]).toEqual([0o600, [GATES_FILE]]);
  expect([removeGatesFile(folder, "second"), removeGatesFile(folder, "first"), readGatesFile(folder)]).toEqual([
    false,
    true,
    { state: "none" },
  ]);
});

it.each([
  ["nothing", ""],
  ["no JSON", "{"],
  ["another version", JSON.stringify({ v: 2, ...file })],
  ["no list", JSON.stringify({ v: 1, instance: "first", gates: {} })],
  ["no instance", JSON.stringify({ v: 1, gates: [gate] })],
  ["null", "null"],
  ["an entry without an event", JSON.stringify({ v: 1, ...file, gates: [gate, { ...gate, event: undefined }] })],
  ["an entry with another failure mode", JSON.stringify({ v: 1, ...file, gates: [{ ...gate, onFailure: "maybe" }] })],
  ["an entry without a time limit", JSON.stringify({ v: 1, ...file, gates: [{ ...gate, timeoutMs: 0 }] })],
])("is broken with %s in it: a part of the gates would let the others pass", (_, text) => {
  const folder = testFolder();
  writeFileSync(join(folder, GATES_FILE), text, { mode: 0o600 });
  expect(readGatesFile(folder)).toMatchObject({ state: "broken" });
});

it("does not believe what others can change, nor a link", () => {
  const folder = testFolder();
  writeGatesFile(folder, file);
  chmodSync(join(folder, GATES_FILE), 0o620);
  expect(readGatesFile(folder)).toMatchObject({ state: "foreign" });
  const other = testFolder();
  symlinkSync(join(folder, GATES_FILE), join(other, GATES_FILE));
  expect(readGatesFile(other)).toMatchObject({ state: "foreign" });
});
