// The adapters with the real SDKs and fake models: npm run test:sdks -- [--only <sdk>[,<sdk>]] [--no-types]
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { startFakeModel } from "../agents/fake-model/fake-model.ts";
import { cacheFolder, installPackages } from "../support/install-packages.ts";
import { lostHub } from "./lost-hub.ts";
import type { Driver, Play } from "./play.ts";
import { scenarios } from "./scenarios.ts";
import { type Sdk, sdks } from "./sdks.ts";

const { values } = parseArgs({ options: { only: { type: "string" }, "no-types": { type: "boolean", default: false } } });
const wanted = values.only?.split(",") ?? sdks.map(({ id }) => id);
const unknown = wanted.filter((id) => !sdks.some((sdk) => sdk.id === id));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Known: ${sdks.map(({ id }) => id).join(", ")}.`);
  process.exit(2);
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const faults: string[] = [];
let held = 0;
for (const sdk of sdks.filter(({ id }) => wanted.includes(id))) await tryOut(sdk);
console.log(`\n${held} passed, ${faults.length} failed`);
process.exit(faults.length === 0 && held > 0 ? 0 : 1);

async function tryOut(sdk: Sdk): Promise<void> {
  const folder = join(cacheFolder("sdks", process.env.HOOKLINE_SDKS_CACHE), sdk.id);
  installPackages(folder, sdk.packages, ["--ignore-scripts", "--legacy-peer-deps"]);
  const driver = prepare(folder, sdk.id);
  if (!values["no-types"]) await attempt(sdk, "types", async () => checkTypes(folder));
  let drive: Driver | undefined;
  await attempt(sdk, "load", async () => {
    ({ play: drive } = (await import(pathToFileURL(driver).href)) as { readonly play: Driver });
  });
  if (drive === undefined) return;
  const loaded = drive;
  const play: Play = (bus, calls) => loaded(bus, calls, startFakeModel);
  for (const { name, run } of [...scenarios, lostHub]) {
    const why = sdk.cannot?.[name];
    if (why === undefined) await attempt(sdk, name, () => run(play));
    else console.log(`-     ${sdk.id}: ${name}: ${why}`);
  }
}

/** The driver beside the SDK's packages, so that it finds them by name; the core is the one that was built here. */
function prepare(folder: string, id: string): string {
  const link = join(folder, "node_modules/@hookline/core");
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true, recursive: true });
  symlinkSync(join(root, "packages/core"), link);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const driver = join(folder, "driver.ts");
  copyFileSync(join(root, `examples/sdks/${id}.ts`), driver);
  return driver;
}

/** The adapters name only what they use of an SDK: the compiler says whether the SDK still takes that. */
function checkTypes(folder: string): void {
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2024", "--module", "nodenext", "--types", "node"];
  const types = join(root, "node_modules/@types");
  const tsc = spawnSync(join(root, "node_modules/.bin/tsc"), [...flags, "--typeRoots", types, "driver.ts"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (tsc.status !== 0) throw new Error(tsc.stdout + tsc.stderr);
}

async function attempt(sdk: Sdk, name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    held++;
    console.log(`held  ${sdk.id}: ${name}`);
  } catch (error) {
    faults.push(`${sdk.id}: ${name}`);
    console.log(`FAIL  ${sdk.id}: ${name}: ${(error as Error).message}`);
  }
}
