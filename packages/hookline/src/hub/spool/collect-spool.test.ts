import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { openLivenessSocket, socketOf, thisKernel } from "@hookline/core/internal/machine";

import { encodeEnvelope } from "@hookline/core/sinks";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { leaveDeadSocket } from "../../../../../test/support/dead-socket.js";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { createIngest } from "../ingest/ingest.js";
import { collectSpool, type SpoolCollector } from "./collect-spool.js";
import { createSpoolWriters } from "./spool-writers.js";

const collectors: SpoolCollector[] = [];
afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.close();
});

function spoolIn(folder: string, fail = () => false, { state = testFolder(), attached = new Set<string>() } = {}) {
  const ids: string[] = [];
  const problems: string[] = [];
  const store = {
    append: async (events: readonly { readonly envelope: { readonly id: string } }[]) => {
      if (fail()) throw new HookError("HL_DISK_FULL", "full");
      ids.push(...events.map(({ envelope }) => envelope.id));
      return events.map((_, index) => index + 1);
    },
    identify: async () => {},
    ownerOf: async () => undefined,
  };
  const ingest = createIngest({ instance: "hub1", store, onStored() {} });
  const writers = createSpoolWriters({ state, spool: folder }, (writer) => attached.has(writer));
  const collector = collectSpool({ folder, ingest, writers, onProblem: (text) => problems.push(text) });
  collectors.push(collector);
  return { collector, ids, problems };
}
const lines = (count: number): string[] => Array.from({ length: count }, () => encodeEnvelope(sampleEnvelope()));
const idsOf = (texts: readonly string[]): string[] => texts.map((text) => (JSON.parse(text) as { id: string }).id);
let count = 0;
const writerOn = (kernel: string): string => `${kernel}-${String(++count).padStart(12, "0")}`;

/** A writer in this process, which lives. */
function aliveWriter(spool: string): string {
  const writer = writerOn(thisKernel());
  const socket = openLivenessSocket(spool, socketOf(writer));
  onTestFinished(() => socket.close());
  return writer;
}

/** What a writer that was killed leaves: a socket that refuses connections. */
async function deadWriter(spool: string, kernel = thisKernel()): Promise<string> {
  const writer = writerOn(kernel);
  await leaveDeadSocket(join(spool, socketOf(writer)));
  return writer;
}

/** More looks than a process that lives is given to attach. */
async function lookOften({ collect }: SpoolCollector): Promise<void> {
  for (let look = 0; look < 7; look++) await collect();
}

describe("collecting the spool", () => {
  it("takes finished files, and those of dead writers, and removes them with their sockets", async () => {
    const folder = testFolder();
    const [exited, killed, alive] = [lines(1_000), lines(2), lines(2)];
    const [dead, living] = [await deadWriter(folder), aliveWriter(folder)];
    writeFileSync(join(folder, `a.1.${living}.ndjson`), `${exited.join("\n")}\n`);
    writeFileSync(join(folder, `b.1.${dead}.live`), `${killed.join("\n")}\n{"v":1,"id":"half`);
    writeFileSync(join(folder, `c.1.${living}.live`), `${alive.join("\n")}\n`);
    const { collector, ids } = spoolIn(folder);
    await collector.collect();
    expect(ids).toEqual([...idsOf(exited), ...idsOf(killed)]);
    expect(collector.counters).toEqual({ files: 2, events: 1_002, bad: 0 });
    await collector.collect();
    expect(readdirSync(folder).sort()).toEqual([socketOf(living), `c.1.${living}.live`].sort());
  });

  it("reads what a process writes that lives and is not on the line, and takes none of it away", async () => {
    const folder = testFolder();
    const path = join(folder, `a.1.${aliveWriter(folder)}.live`);
    const [first, second, third] = [lines(3), lines(2), lines(9)];
    writeFileSync(path, `${first.join("\n")}\n${second[0]}`);
    const { collector, ids } = spoolIn(folder);
    await lookOften(collector);
    expect(ids).toEqual(idsOf(first));
    appendFileSync(path, `\n${second[1]}\n`);
    await collector.collect();
    expect(ids).toEqual(idsOf([...first, ...second]));
    // It has emptied its file, and gone on to write past the place where it was read before.
    writeFileSync(path, `${third.join("\n")}\n`);
    await collector.collect();
    expect(ids).toEqual(idsOf([...first, ...second, ...third]));
    renameSync(path, path.replace(".live", ".ndjson"));
    await collector.collect();
    expect([ids.length, existsSync(path.replace(".live", ".ndjson"))]).toEqual([14, false]);
  });

  it("leaves to a process on the line what it brings itself", async () => {
    const folder = testFolder();
    const writer = aliveWriter(folder);
    writeFileSync(join(folder, `a.1.${writer}.live`), `${lines(3).join("\n")}\n`);
    const attached = new Set([writer]);
    const { collector, ids } = spoolIn(folder, undefined, { attached });
    await lookOften(collector);
    expect(ids).toEqual([]);
    attached.clear();
    await lookOften(collector);
    expect(ids).toHaveLength(3);
  });

  it.each([
    ["without a socket", async () => writerOn(thisKernel())],
    ["of a kernel that cannot be asked, such as a virtual machine's", (folder: string) => deadWriter(folder, "0123456789ab")],
    ["with a process number in its name", async () => "1"],
  ])("reads a file %s once, keeps it, and says so once", async (_, makeWriter) => {
    const folder = testFolder();
    const path = join(folder, `a.1.${await makeWriter(folder)}.live`);
    writeFileSync(path, `${lines(3).join("\n")}\n`);
    const { collector, ids, problems } = spoolIn(folder);
    await lookOften(collector);
    expect([ids.length, existsSync(path), problems]).toEqual([3, true, [expect.stringContaining(path)]]);
  });

  it("knows the kernels that have run a hub here before this one was booted", async () => {
    const [folder, state] = [testFolder(), testFolder()];
    writeFileSync(join(state, "kernels.json"), '["0123456789ab"]', { mode: 0o600 });
    writeFileSync(join(folder, `a.1.${await deadWriter(folder, "0123456789ab")}.live`), `${lines(3).join("\n")}\n`);
    const { collector, ids } = spoolIn(folder, undefined, { state });
    for (let look = 0; look < 2; look++) await collector.collect();
    expect([ids.length, readdirSync(folder)]).toEqual([3, []]);
    expect(JSON.parse(readFileSync(join(state, "kernels.json"), "utf8"))).toEqual(["0123456789ab", thisKernel()]);
  });

  it("takes the files of a process by their numbers, the tenth after the ninth", async () => {
    const folder = testFolder();
    const files = Array.from({ length: 12 }, () => lines(1));
    for (const [index, file] of files.entries()) writeFileSync(join(folder, `a.${index + 1}.w.ndjson`), `${file[0]}\n`);
    const { collector, ids } = spoolIn(folder);
    await collector.collect();
    expect(ids).toEqual(idsOf(files.flat()));
  });

  it("keeps what it cannot store, line by line, beside the file", async () => {
    const folder = testFolder();
    const good = lines(2);
    const path = join(folder, "a.1.w.ndjson");
    writeFileSync(path, `${good[0]}\n{"v":3}\nrubbish\n${good[1]}\n`);
    const { collector, ids } = spoolIn(folder);
    await collector.collect();
    expect(ids).toEqual(idsOf(good));
    expect(readFileSync(`${path}.bad`, "utf8")).toBe('{"v":3}\nrubbish\n');
    expect([existsSync(path), collector.counters.bad]).toEqual([false, 2]);
  });

  it("leaves the file where it is while the disk is full", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "a.1.w.ndjson"), `${lines(3).join("\n")}\n`);
    let isFull = true;
    const { collector, ids, problems } = spoolIn(folder, () => isFull);
    await collector.collect();
    await collector.collect();
    expect([ids, readdirSync(folder), problems.length]).toEqual([[], ["a.1.w.ndjson"], 1]);
    isFull = false;
    await collector.collect();
    expect([ids.length, readdirSync(folder)]).toEqual([3, []]);
  });

  it("keeps and counts a bad line once, however often the file is read", async () => {
    const folder = testFolder();
    const path = join(folder, "a.1.w.ndjson");
    const many = lines(2_000);
    writeFileSync(path, `rubbish\n${many.join("\n")}\nmore rubbish\n`);
    let left = 1;
    const { collector, ids } = spoolIn(folder, () => left-- <= 0);
    await collector.collect();
    left = 1;
    await collector.collect();
    left = 1_000;
    await collector.collect();
    expect(readFileSync(`${path}.bad`, "utf8")).toBe("rubbish\nmore rubbish\n");
    expect([new Set(ids).size, collector.counters]).toEqual([2_000, { files: 1, events: 2_000, bad: 2 }]);
  });

  it("follows no link and opens no folder, says so once, and takes the others", async () => {
    const folder = testFolder();
    const secret = join(testFolder(), "secret");
    writeFileSync(secret, `${lines(1)[0]}\n`);
    symlinkSync(secret, join(folder, "a.1.w.ndjson"));
    mkdirSync(join(folder, "b.1.w.ndjson"));
    writeFileSync(join(folder, "c.1.w.ndjson"), `${lines(1)[0]}\n`);
    const { collector, ids, problems } = spoolIn(folder);
    await collector.collect();
    await collector.collect();
    expect([ids.length, problems.length]).toEqual([1, 2]);
  });

  it("is content without a spool", async () => {
    const { collector } = spoolIn(join(testFolder(), "none"));
    await collector.collect();
    expect(collector.counters.files).toBe(0);
  });
});
