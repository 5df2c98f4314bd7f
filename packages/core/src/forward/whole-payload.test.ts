import { afterAll, beforeAll, expect, it } from "vitest";
import { reportingBus } from "../../../../test/support/reporting-bus.js";
import { hubFolder, TestHub } from "../../../../test/support/test-hub.js";
import { connectToHub } from "./connect-to-hub.js";
import type { HubConnection } from "./hub-connection.js";

const SECRET = "rm -rf /";
const gate = { event: "tool:before", timeoutMs: 5_000, onFailure: "closed" } as const;
const asked: string[] = [];
const folder = hubFolder();
const { bus } = reportingBus({ source: "agent" });
let hub: TestHub;
let line: HubConnection;

beforeAll(async () => {
  const onGate = ({ payload }: { readonly payload?: unknown }, answer: (verdict: object) => void) => {
    const text = JSON.stringify(payload);
    asked.push(text);
    answer(text.includes(SECRET) ? { verdict: "deny", reason: "no" } : { verdict: "pass" });
  };
  hub = await TestHub.start(folder.state, { gates: [gate], onGate: onGate as never });
  line = connectToHub(bus, { folder: folder.state });
});

afterAll(async () => {
  await line.close(0);
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Whether a call with this input runs, and why not. */
async function run(input: unknown): Promise<{ readonly isRun: boolean; readonly error: unknown }> {
  let isRun = false;
  const { error } = await bus.runTool({ tool: { name: "shell", input: { command: input } } } as never, () => {
    isRun = true;
  });
  return { isRun, error };
}

class Private {
  readonly #command = SECRET;
  get command() {
    return this.#command;
  }
}

const form = new FormData();
form.set("command", SECRET);
const list = Object.assign(["ls"], { command: SECRET });

it.each<[string, unknown]>([
  ["a Blob", new Blob([SECRET])],
  ["FormData", form],
  ["URLSearchParams", new URLSearchParams({ command: SECRET })],
  ["Headers", new Headers({ command: SECRET })],
  ["a Response", new Response(SECRET)],
  ["a ReadableStream", new Blob([SECRET]).stream()],
  [
    "a generator",
    (function* () {
      yield SECRET;
    })(),
  ],
  ["an object with a private field", new Private()],
  ["inherited fields", Object.create({ command: SECRET })],
  ["a function", () => SECRET],
  ["a promise", Promise.resolve(SECRET)],
  ["a toJSON of its own", { command: SECRET, toJSON: () => "ls" }],
  [
    "a Map of a class of its own",
    new (class Commands extends Map {
      override get(): string {
        return SECRET;
      }
    })(),
  ],
  ["a WeakRef", new WeakRef({ command: SECRET })],
])("does not run with an input that the hub sees only in part: %s", async (_, input) => {
  const before = asked.length;
  const { isRun, error } = await run(input);
  expect([isRun, asked.length]).toEqual([false, before]);
  expect(error).toMatch(/would not see all of it.*tool\.input\.command/);
});

it.each<[string, unknown]>([
  ["a Buffer", Buffer.from(SECRET)],
  ["an ArrayBuffer", new TextEncoder().encode(SECRET).buffer],
  ["a DataView", new DataView(new TextEncoder().encode(SECRET).buffer)],
  ["a Map", new Map([[{ deep: new Set([SECRET]) }, 1]])],
  ["an Error's cause", new Error("why", { cause: new TypeError(SECRET) })],
])("shows the hub all of %s", async (_, input) => {
  expect((await run(input)).isRun).toBe(false);
  expect(asked.at(-1)).toContain(SECRET);
});

it("runs with what the hub has seen", async () => {
  expect((await run(Buffer.from([0xff, 0xfe, 1]))).isRun).toBe(true);
  expect(asked.at(-1)).toContain('{"$hookline":"bytes","byteLength":3,"base64":"//4B"}');
  expect((await run({ when: new Date(0), size: 2n ** 70n, ids: new Float64Array(2), nothing: undefined })).isRun).toBe(true);
});

it.each<[string, unknown]>([
  ["a field with a symbol as its name", { ls: 1, [Symbol.for("command")]: SECRET }],
  ["a field that is not enumerable", Object.defineProperty({ ls: 1 }, "command", { value: SECRET })],
  ["a field of a list", list],
])("never hands on %s", async (_, command) => {
  const seen: unknown[] = [];
  await bus.runTool({ tool: { name: "shell", input: { command } } } as never, ({ command: given }) => {
    seen.push((Object(given) as { command?: unknown }).command, Object.getOwnPropertySymbols(Object(given)).length);
  });
  expect(seen.includes(SECRET)).toBe(false);
  expect(seen.at(-1) ?? 0).toBe(0);
});
