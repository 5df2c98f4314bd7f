import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import type { FleetSettings } from "hookline/internal/fleet";
import { afterEach, expect, it } from "vitest";
import { createNkey } from "../../packages/fleet/src/credentials/signing.ts";
import { acceptFleetFile } from "../../packages/hookline/dist/hub/fleet/open-fleet.js";
import { removeFolder } from "../support/remove-folder.ts";

const state = mkdtempSync(join(tmpdir(), "hl-joined-"));
const file = join(state, "fleet", "fleet.json");
let hub: Hub | undefined;
afterEach(async () => {
  await hub?.close();
  removeFolder(state);
});

const rootKey = (): string => generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x ?? "";
const settings: FleetSettings = {
  role: "host",
  fleet: "0123456789abcdef",
  tenant: "main",
  name: "laptop",
  labels: {},
  // Nothing listens there: whether the hub takes part does not depend on the server.
  urls: ["nats://127.0.0.1:1"],
  seed: createNkey().seed,
  inboxPrefix: "hl.in.host.laptop",
  rootKey: rootKey(),
};
const write = (given: FleetSettings): void => writeFileSync(file, JSON.stringify(given), { mode: 0o600 });
const start = async () => {
  await hub?.close();
  hub = await startHub({ state, port: 0, config: join(state, "hookline.toml"), onProblem: () => {} });
  const { fleet, alarms } = hub.parts;
  // The hub joins in the background.
  const waiting = () => alarms.list().alarms.filter(({ acknowledged }) => acknowledged === undefined);
  await expect.poll(() => fleet.part !== undefined || waiting().length > 0, { timeout: 20_000 }).toBe(true);
  const seen = { name: fleet.settings?.name, alarms: waiting().map(({ text, fix }) => [text, fix]) };
  alarms.acknowledge("test");
  return seen;
};

it("a hub takes part only in the fleet that an operator has joined, whoever writes its file", { timeout: 180_000 }, async () => {
  mkdirSync(join(state, "fleet"), { mode: 0o700 });
  writeFileSync(join(state, "hookline.toml"), "");
  const isRefused = (why: string) => ({
    name: undefined,
    alarms: [[expect.stringContaining(why), "Run: hookline fleet join <invitation>"]],
  });
  write(settings);
  expect(await start()).toEqual(isRefused("no operator of this hub has joined"));
  expect(hub?.parts.bundles.status()).toEqual({ isConfigured: false });

  await hub?.parts.fleet.follow();
  expect(hub?.parts.fleet.settings).toEqual(settings);
  expect(await start()).toEqual({ name: "laptop", alarms: [] });
  write({ ...settings, urls: ["nats://127.0.0.1:2"] });
  expect(await start()).toEqual({ name: "laptop", alarms: [] });

  for (const other of [{ rootKey: rootKey() }, { fleet: "fedcba9876543210" }, { name: "other" }, { role: "hub" as const }]) {
    write({ ...settings, ...other });
    expect(await start()).toEqual(isRefused("no operator of this hub has joined"));
  }
  rmSync(file);
  expect(await start()).toEqual(isRefused("is gone"));

  // The commands do the same while no hub runs.
  await hub?.close();
  hub = undefined;
  write({ ...settings, name: "other" });
  await acceptFleetFile({ state, data: state });
  expect(await start()).toEqual({ name: "other", alarms: [] });
});
