import { copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { judgeStore } from "../faults/judge.ts";
import { freeze } from "../faults/nemesis.ts";
import { Crew } from "../faults/processes.ts";
import { checkIntegrity, readRows } from "../faults/store-rows.ts";
import type { CutDisk } from "./cut-disk.ts";
import { type Fault, happened, type Scene } from "./fault.ts";
import { ofPublishers } from "./judge-world.ts";
import type { World } from "./world.ts";

const STORE = "events.db";

function diskOf({ disk }: World): CutDisk {
  if (typeof disk === "string") throw new Error(disk);
  return disk;
}

const missing = ({ disk }: World): string | undefined => (typeof disk === "string" ? disk : undefined);

/** The power fails under load. The disk as it is then is looked at; in every second cut the hub goes on from it. */
const powerCut: Fault = {
  name: "power cut",
  weight: 4,
  cuts: 1,
  isPublishersApart: true,
  missing,
  async act(scene) {
    const { world, random } = scene;
    const disk = diskOf(world);
    await world.goesOn();
    await pause(random.between(0, 300));
    const isReturn = random.next() < 0.5;
    // Publishers that go on must not have an acknowledgement from after the cut.
    if (isReturn) happened(await freeze(world.hub), "the hub stands still");
    const owed = await world.acknowledged();
    const copy = disk.copy();
    const emitted = await world.acknowledged();
    const claims = owed.map((claim) => ({ ...claim, emitted: emitted.find(({ name }) => name === claim.name)?.emitted ?? claim.emitted }));
    await disk.look(copy, (folder) => judgeCopy(scene, join(folder, STORE), claims));
    if (!isReturn) return disk.discard(copy);
    await world.hub.kill();
    await disk.returnTo(copy);
    await world.startHub();
  },
};

function judgeCopy({ judge }: Scene, store: string, claims: Parameters<typeof judgeStore>[2]): void {
  let rows: ReturnType<typeof readRows>;
  try {
    rows = readRows(store);
  } catch (error) {
    // Not a fault of the run: all that was acknowledged is missing.
    return judge.expect("I1", false, `after a power cut, the store cannot be read: ${(error as Error).message}`);
  }
  judgeStore(judge, ofPublishers(rows), claims);
  judge.expect("I1", checkIntegrity(store) === "ok", "after a power cut, SQLite says that the store is damaged");
}

/** A copy of the store is flipped or cut, and repaired: what comes out was sent, and what is missing in between is said. */
const damagedCopy: Fault = {
  name: "damaged copy",
  weight: 2,
  isPublishersApart: true,
  missing,
  async act(scene) {
    const { world } = scene;
    const disk = diskOf(world);
    await using other = new Crew();
    mkdirSync(other.state, { recursive: true, mode: 0o700 });
    const copy = disk.copy();
    try {
      await disk.look(copy, (folder) => {
        for (const name of [STORE, `${STORE}-wal`])
          if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(other.state, name));
      });
    } finally {
      disk.discard(copy);
    }
    const whole = join(other.folder, "whole.db");
    for (const end of ["", "-wal"]) if (existsSync(`${other.store}${end}`)) copyFileSync(`${other.store}${end}`, `${whole}${end}`);
    await judgeRepair(scene, other, whole);
  },
};

async function judgeRepair({ judge, random }: Scene, crew: Crew, whole: string): Promise<void> {
  const before = bodiesOf(whole);
  const { store } = crew;
  damage(store, random);
  const { code, stdout, stderr } = await crew.hookline("doctor", "--repair").ended;
  judge.expect("own", code === 0, `doctor --repair ended with ${code}: ${stderr.slice(0, 300)}`);
  if (code !== 0) return;
  const after = bodiesOf(store);
  const marked = Number(/([\d,]+) events? of them/.exec(stdout)?.[1]?.replaceAll(",", "") ?? 0);
  const lost = Number(/Lost: ([\d,]+)/.exec(stdout)?.[1]?.replaceAll(",", "") ?? 0);
  const other = [...after].filter(([place, body]) => before.get(place) !== body);
  const last = Math.max(0, ...after.keys());
  const gone = [...before.keys()].filter((place) => place < last && !after.has(place));
  judge.look(
    "I3",
    after.size,
    other.length <= marked ? [] : [`after a repair, ${other.length} events differ and ${marked} are marked: ${stdout}`],
  );
  judge.look("I1", before.size, gone.length <= lost ? [] : [`a repair lost ${gone.length} events and says ${lost}: ${stdout}`]);
}

function bodiesOf(path: string): Map<number, string> {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare("SELECT place, CAST(body AS BLOB) AS body FROM events").all() as { place: number; body: Uint8Array }[];
    return new Map(rows.map(({ place, body }) => [place, Buffer.from(body).toString("latin1")]));
  } finally {
    database.close();
  }
}

/** Flips some bits of the file, or cuts it. */
function damage(store: string, random: Scene["random"]): void {
  const wal = `${store}-wal`;
  const path = existsSync(wal) && readFileSync(wal).length > 0 && random.next() < 0.4 ? wal : store;
  const bytes = readFileSync(path);
  if (random.next() < 0.4) return truncateSync(path, random.between(Math.floor(bytes.length / 2), bytes.length - 1));
  for (let flips = random.between(1, 20); flips > 0; flips--) {
    const at = random.between(0, bytes.length - 1);
    bytes[at] = (bytes[at] as number) ^ (1 << random.between(0, 7));
  }
  writeFileSync(path, bytes);
}

export const storeFaults: readonly Fault[] = [powerCut, damagedCopy];
