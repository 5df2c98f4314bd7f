import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { encodeEnvelope } from "@hookline/core/sinks";
import { afterEach, describe, expect, it } from "vitest";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { createIngest } from "../ingest/ingest.js";
import { collectSpool, type SpoolCollector } from "./collect-spool.js";

const collectors: SpoolCollector[] = [];
afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.close();
});

function spoolIn(folder: string, fail = () => false) {
  const ids: string[] = [];
  const problems: string[] = [];
  const store = {
    append: async (events: readonly { readonly envelope: { readonly id: string } }[]) => {
      if (fail()) throw new HookError("HL_DISK_FULL", "full");
      ids.push(...events.map(({ envelope }) => envelope.id));
      return events.map((_, index) => index + 1);
    },
  };
  const ingest = createIngest({ instance: "hub1", store, onStored() {} });
  const collector = collectSpool({ folder, ingest, onProblem: (text) => problems.push(text) });
  collectors.push(collector);
  return { collector, ids, problems };
}
const lines = (count: number): string[] => Array.from({ length: count }, () => encodeEnvelope(sampleEnvelope()));
const idsOf = (texts: readonly string[]): string[] => texts.map((text) => (JSON.parse(text) as { id: string }).id);
/** Of a process that is over. */
const deadPid = (): number => spawnSync(process.execPath, ["-e", "0"]).pid;

describe("collecting the spool", () => {
  it("takes finished files, and live ones whose process is gone, and removes them", async () => {
    const folder = testFolder();
    const [exited, killed, alive] = [lines(1_000), lines(2), lines(2)];
    writeFileSync(join(folder, `a.${process.pid}.1.ndjson`), `${exited.join("\n")}\n`);
    writeFileSync(join(folder, `b.${deadPid()}.1.live`), `${killed.join("\n")}\n{"v":1,"id":"half`);
    writeFileSync(join(folder, `c.${process.pid}.1.live`), `${alive.join("\n")}\n`);
    writeFileSync(join(folder, `.a.${process.pid}.2.ndjson.tmp`), "");
    const { collector, ids } = spoolIn(folder);
    await collector.collect();
    expect(ids).toEqual([...idsOf(exited), ...idsOf(killed)]);
    expect(readdirSync(folder).sort()).toEqual([`.a.${process.pid}.2.ndjson.tmp`, `c.${process.pid}.1.live`]);
    expect(collector.counters).toEqual({ files: 2, events: 1_002, bad: 0 });
  });

  it("takes what a process that was killed on its way out had got to, and leaves nothing of it", async () => {
    const folder = testFolder();
    const written = lines(3);
    writeFileSync(join(folder, `.a.${deadPid()}.1.ndjson.tmp`), `${written.join("\n")}\n{"v":1,"id":"half`);
    const { collector, ids } = spoolIn(folder);
    await collector.collect();
    expect([ids, readdirSync(folder)]).toEqual([idsOf(written), []]);
  });

  it("takes the files of a process by their numbers, the tenth after the ninth", async () => {
    const folder = testFolder();
    const files = Array.from({ length: 12 }, () => lines(1));
    for (const [index, file] of files.entries()) writeFileSync(join(folder, `a.1.${index + 1}.ndjson`), `${file[0]}\n`);
    const { collector, ids } = spoolIn(folder);
    await collector.collect();
    expect(ids).toEqual(idsOf(files.flat()));
  });

  it("keeps what it cannot store, line by line, beside the file", async () => {
    const folder = testFolder();
    const good = lines(2);
    const path = join(folder, "a.1.1.ndjson");
    writeFileSync(path, `${good[0]}\n{"v":3}\nrubbish\n${good[1]}\n`);
    const { collector, ids } = spoolIn(folder);
    await collector.collect();
    expect(ids).toEqual(idsOf(good));
    expect(readFileSync(`${path}.bad`, "utf8")).toBe('{"v":3}\nrubbish\n');
    expect([existsSync(path), collector.counters.bad]).toEqual([false, 2]);
  });

  it("leaves the file where it is while the disk is full", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "a.1.1.ndjson"), `${lines(3).join("\n")}\n`);
    let isFull = true;
    const { collector, ids, problems } = spoolIn(folder, () => isFull);
    await collector.collect();
    await collector.collect();
    expect([ids, readdirSync(folder), problems.length]).toEqual([[], ["a.1.1.ndjson"], 1]);
    isFull = false;
    await collector.collect();
    expect([ids.length, readdirSync(folder)]).toEqual([3, []]);
  });

  it("keeps and counts a bad line once, however often the file is read", async () => {
    const folder = testFolder();
    const path = join(folder, "a.1.1.ndjson");
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
    symlinkSync(secret, join(folder, "a.1.1.ndjson"));
    mkdirSync(join(folder, "b.1.1.ndjson"));
    writeFileSync(join(folder, "c.1.1.ndjson"), `${lines(1)[0]}\n`);
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
