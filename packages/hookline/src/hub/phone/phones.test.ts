import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writePrivateJson } from "@hookline/core/internal/machine";
import { openStore } from "hookline/internal";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { openPhones } from "./phones.js";

const FOREIGN = {
  id: "agent",
  publicKey: "AAAA",
  counter: 0,
  transports: [],
  rpId: "hookline.test",
  name: "not a phone",
  addedAt: "2026-01-01T00:00:00.000Z",
};

async function open(state = testFolder(), place: { readonly origin?: string } = { origin: "https://hookline.test" }) {
  const store = await openStore(join(state, "events.db"));
  onTestFinished(() => store.close());
  const alarms: string[] = [];
  const phones = await openPhones({ state, store, origin: place.origin, raise: ({ text }) => alarms.push(text), note: () => {} });
  return { phones, alarms, store };
}

it("counts no passkey that was written into the file", async () => {
  const state = testFolder();
  writePrivateJson(state, "phones.json", [FOREIGN]);
  const { phones, alarms } = await open(state);
  expect(phones.list()).toEqual([]);
  expect(alarms).toEqual([expect.stringContaining("None of them counts")]);
});

it("removes each of two passkeys that are removed at once", async () => {
  const state = testFolder();
  const { store } = await open(state);
  const known = ["AAAA", "BBBB", "CCCC"].map((id) => ({ ...FOREIGN, id }));
  writePrivateJson(state, "phones.json", known);
  await store.setFact("phones", JSON.stringify(known));
  const phones = await openPhones({
    state,
    store,
    origin: "https://hookline.test",
    raise: ({ text }) => expect.fail(text),
    note: () => {},
  });
  expect(await Promise.all(["AAAA", "BBBB"].map(phones.remove))).toEqual([true, true]);
  expect(phones.list().map(({ id }) => id)).toEqual(["CCCC"]);
});

it("lets a person answer also if the use of the passkey cannot be written down", async () => {
  const state = testFolder();
  const { phones } = await open(state);
  // In the place of the file.
  mkdirSync(join(state, "phones.json", "in the way"), { recursive: true });
  expect(() => phones.used(FOREIGN)).not.toThrow();
});

it("accepts nothing without a phone that waits, and makes no passkey without a public address", async () => {
  const { phones } = await open();
  expect(() => phones.named("123456")).toThrow("No phone waits");
  await expect(phones.accept("123456")).rejects.toThrow("No phone waits");
  expect(await phones.remove("x")).toBe(false);
  const local = await open(testFolder(), {});
  expect(() => local.phones.options()).toThrow("no public address");
});
