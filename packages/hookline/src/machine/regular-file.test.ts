import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
import { readRegularFile } from "./regular-file.js";

const isRoot = process.getuid?.() === 0;

const notRead: readonly [what: string, make: (path: string) => void, expected: object | undefined][] = [
  ["no file", () => {}, undefined],
  ["a link to nothing", (path) => symlinkSync("nothing", path), undefined],
  [
    "a pipe",
    (path) => void execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]),
    { fault: "This is not a regular file.", isDenied: false },
  ],
  ["a link to a device", (path) => symlinkSync("/dev/zero", path), { fault: "This is not a regular file.", isDenied: false }],
  ["a folder", (path) => mkdirSync(path), { fault: "This is not a regular file.", isDenied: false }],
  ["a link to itself", (path) => symlinkSync(path, path), { fault: expect.stringContaining("ELOOP"), isDenied: false }],
  ["a large file", (path) => writeFileSync(path, "12345"), { fault: "The file has 5 bytes. The limit is 4.", isDenied: false }],
];
it.skipIf(process.platform === "win32").each(notRead)("does not read %s", (_, make, expected) => {
  const path = join(testFolder(), "settings");
  make(path);
  expect(readRegularFile(path, 4)).toEqual(expected);
});

it.skipIf(process.platform !== "linux")("does not read more than the limit of a file that states no size", () => {
  expect(readRegularFile("/proc/self/status", 4)).toEqual({ fault: "The file has more than 4 bytes.", isDenied: false });
});

it.skipIf(isRoot || process.platform === "win32")("tells a file that this user may not read", () => {
  const path = join(testFolder(), "settings");
  writeFileSync(path, "{}");
  chmodSync(path, 0);
  expect(readRegularFile(path)).toMatchObject({ isDenied: true });
});

it("reads a file, also behind a link", () => {
  const folder = testFolder();
  writeFileSync(join(folder, "real"), "1234");
  symlinkSync("real", join(folder, "link"));
  for (const name of ["real", "link"]) expect(readRegularFile(join(folder, name), 4)).toMatchObject({ bytes: Buffer.from("1234") });
});
