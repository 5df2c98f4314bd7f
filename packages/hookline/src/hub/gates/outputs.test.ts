import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bus, createBus, replace } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { startHub } from "hookline/hub";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { putFiles } from "../../../../../test/support/hook-files.js";
import { allTextIn, HIDDEN, outputKinds, SECRET } from "../../../../../test/support/output-kinds.js";
import { removeFolder } from "../../../../../test/support/remove-folder.js";
import { call } from "../../../../../test/support/reporting-bus.js";

const RULE = `
[[rule]]
name = "hide"
event = "tool:result"
do = "replace"
find = "${SECRET}"
with = "${HIDDEN}"
`;
const quiet = { onError: () => {} };

/** A value in which the secret is hidden wherever a guard can see it. */
function hidden(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(SECRET, HIDDEN);
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return hidden(Buffer.from(value as ArrayBuffer).toString());
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [hidden(key), hidden(member)]));
  if (value instanceof Set) return new Set([...value].map(hidden));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return Array.from(value, hidden);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, hidden(member)]));
}

/** Bytes as their text, as the hub gives those back that are text. */
function inWords(value: unknown): unknown {
  if (value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return Buffer.from(value as ArrayBuffer).toString();
  if (value instanceof Map || value instanceof Set) return { [value.constructor.name]: [...value].map(inWords) };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inWords);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inWords(member)]));
}

async function expectHidden(bus: Bus, { make, becomes }: (typeof outputKinds)[number]): Promise<void> {
  const after: unknown[] = [];
  const off = bus.on("tool:after", ({ payload }) => void after.push(payload.tool.output));
  const run = await bus.runTool(call(), make);
  off();
  expect(run.status).toBe("ok");
  if (becomes === undefined) expect(run.output).toMatch(/^\[withheld: /);
  else expect(inWords(run.output)).toEqual(inWords(becomes));
  expect(await allTextIn([run.output, after])).not.toContain(SECRET);
}

describe("a closed guard of results in the process", () => {
  const bus = createBus(quiet);
  bus.on("tool:result", ({ value }) => replace(hidden(value)), { onFailure: "closed" });

  it.each(outputKinds)("leaves nothing unseen in $name", (kind) => expectHidden(bus, kind));
});

describe("a rule on results at the hub", () => {
  const bus = createBus({ source: "agent", ...quiet });
  let close = async (): Promise<void> => {};

  beforeAll(async () => {
    const state = putFiles(mkdtempSync(join(tmpdir(), "hookline-test-")), { "hookline.toml": RULE });
    const hub = await startHub({ state, runtime: state, port: 0, config: join(state, "hookline.toml") });
    const line = connectToHub(bus, { folder: state });
    close = async () => {
      await line.close(0);
      await hub.close();
      removeFolder(state);
    };
  });
  afterAll(() => close());

  it.each(outputKinds)("leaves nothing unseen in $name", (kind) => expectHidden(bus, kind));
});
