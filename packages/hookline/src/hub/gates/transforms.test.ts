import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createBus, inject, remind, replace } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { readGatesFile } from "@hookline/core/internal/machine";
import { createReminderBook } from "@hookline/core/remind";
import { connectSink, type SendResult } from "@hookline/core/sinks";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.js";
import { call, putFiles } from "../../../../../test/support/hook-files.js";
import { testFolder } from "../../../../../test/support/test-folder.js";

type Files = { readonly [path: string]: string };

/** A hub with hooks and rules from files, and an agent with a bus of its own on the line. */
async function setting(files: Files, toml = "") {
  const state = putFiles(testFolder(), { "hookline.toml": toml, ...files });
  const problems: string[] = [];
  const hub = await startHub({
    state,
    runtime: state,
    port: 0,
    config: join(state, "hookline.toml"),
    onProblem: (text) => void problems.push(text),
  });
  onTestFinished(() => hub.close());
  const book = createReminderBook();
  const bus = createBus({ source: "agent", reminders: book, onError: () => {} });
  const line = connectToHub(bus, { folder: state });
  onTestFinished(() => void line.close(0));
  await expect.poll(() => line.state).toBe("attached");
  return { state, hub, bus, line, book, problems };
}

const folder = (name: string, manifest: string, code: string): Files => ({
  [`hooks/${name}/HOOK.yaml`]: `name: ${name}\n${manifest}`,
  [`hooks/${name}/handler.mjs`]: `export const handle = ${code};\n`,
});
const REDACT = "(type, { value }) => ({ result: String(value).replaceAll('s3cret', '***') })";

describe("transforms of the hub", () => {
  it("are announced and change what a process's tools give", async () => {
    const { bus, state } = await setting(folder("redact", "events: [tool:result]\nonFailure: closed\n", REDACT));
    expect(readGatesFile(state)).toMatchObject({ file: { gates: [{ event: "tool:result", onFailure: "closed" }] } });
    expect(await bus.runTool(call(), () => "a s3cret")).toMatchObject({ status: "ok", output: "a ***" });
  });

  it.each([
    ["prompt:build", "hello", "(type, { value }) => ({ result: value + '!', inject: 'be brief' })", "hello!"],
    ["tool:env", { TOKEN: "t", A: "1" }, "(type, { value: { TOKEN, ...rest } }) => ({ result: rest })", { A: "1" }],
    ["answer:transform", "so it is", "(type, { value }) => ({ result: value.toUpperCase() })", "SO IT IS"],
  ] as const)("work on %s", async (event, value, code, expected) => {
    const { bus } = await setting(folder("change", `events: ["${event}"]\nonFailure: open\n`, code));
    const result = await bus.transform(event, value as never, call());
    expect(result.value).toEqual(expected);
    if (event === "prompt:build") expect(result.injections).toEqual(["be brief"]);
  });

  it("run once, and not again for the stored event", async () => {
    const log = join(testFolder(), "log");
    const code = `(type, { value }) => { process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(log)}, "."); return { result: value }; }`;
    const { bus, line, hub } = await setting(folder("count", "events: [tool:result]\nonFailure: open\n", code));
    await bus.transform("tool:result", "x", call());
    await bus.emit("myapp:last", {});
    await line.flush();
    await expect.poll(() => hub.parts.ingest.counters.stored).toBeGreaterThanOrEqual(2);
    expect(readFileSync(log, "utf8")).toBe(".");
  });

  it("keep what they took out of an output out of the record, which says who did it", async () => {
    const { bus, line, hub } = await setting(folder("redact", "events: [tool:result]\nonFailure: closed\n", REDACT));
    const local: unknown[] = [];
    const sink = connectSink(bus, {
      name: "s",
      send: async (batch) => ({ status: local.push(...batch) > 0 ? "sent" : "retry", cause: undefined }) as SendResult,
      close: async () => {},
    });
    await bus.runTool(call("cat key", { session: { id: "s1" } }), () => "a s3cret");
    await line.flush();
    await sink.close();
    await expect.poll(() => hub.parts.ingest.counters.stored).toBeGreaterThanOrEqual(3);
    const stored = (await hub.parts.store.page({ session: "s1" })).events.map(({ body }) => body);
    for (const text of [JSON.stringify(stored), JSON.stringify(local)]) {
      expect(text).not.toContain("s3cret");
      expect(text).toContain("a ***");
    }
    const transformed = stored.map((body) => JSON.parse(body)).find(({ event }) => event === "tool:result");
    expect(transformed.payload.transform).toMatchObject({
      isReplaced: true,
      trail: [
        { actor: { kind: "hub", name: "hub" }, action: "replace" },
        { actor: { kind: "hook", name: "redact", at: "hub" }, action: "replace" },
      ],
    });
  });

  it("leave the value alone where they have nothing to say, whatever JSON would make of it", async () => {
    const { bus } = await setting(folder("look", "events: [tool:result]\nonFailure: open\n", "() => undefined"));
    const output = { when: new Date(0), list: new Set([1]) };
    expect((await bus.runTool(call(), () => output)).output).toBe(output);
  });

  it.each([
    ["closed", "events: [tool:result]\nonFailure: closed\n", '[withheld: "redact" failed (crash)]'],
    ["open", "events: [tool:result]\nonFailure: open\n", "a s3cret"],
  ])("that fail and are %s give what they must", async (_, manifest, expected) => {
    const { bus } = await setting(folder("redact", manifest, "(type, { value }) => { throw new Error('cannot read ' + value); }"));
    expect((await bus.runTool(call(), () => "a s3cret")).output).toBe(expected);
  });

  it("withhold the value when the hub was killed, in processes that start later as well", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    for (const [path, text] of Object.entries(folder("redact", "events: [tool:result]\nonFailure: closed\n", REDACT)))
      home.write(join("config/hookline", path), text);
    const hub = home.start("up", "--port", "0");
    const connect = (source: string) => {
      const bus = createBus({ source, onError: () => {} });
      const line = connectToHub(bus, { folder: home.state, gates: { timeoutMs: 5_000 } });
      onTestFinished(() => void line.close(0));
      return { bus, line };
    };
    const early = connect("early");
    await expect.poll(() => early.line.state).toBe("attached");
    expect(await early.bus.transform("tool:result", "a s3cret", call())).toMatchObject({ value: "a ***" });
    hub.child.kill("SIGKILL");
    await hub.ended;
    for (const { bus } of [early, connect("late")]) {
      const { value } = await bus.transform("tool:result", "a s3cret", call());
      expect(value).toMatch(/^\[withheld: "hub" failed \(\w+\)\]$/);
    }
  });

  it.each([
    ["a command that says no", `[[hook]]\nname = "r"\nevent = "tool:result"\nonFailure = "closed"\nshell = true\ncommand = "exit 2"\n`],
    [
      "an answer with a key that means something else",
      `[[hook]]\nname = "r"\nevent = "tool:result"\nonFailure = "closed"\ncommand = "echo"\nargs = ['{"output":"x"}']\n`,
    ],
  ])("withhold the value from a closed hook whose answer is %s", async (_, toml) => {
    const { bus } = await setting({}, toml);
    expect((await bus.runTool(call(), () => "a s3cret")).output).toMatch(/^\[withheld: "r" failed \(\w+\)\]$/);
  });

  it("withhold what is not JSON, also where they are open", async () => {
    const { state, hub } = await setting({});
    hub.parts.bus.on("tool:result", () => replace({ big: 1n }), { name: "odd" });
    const bus = createBus({ source: "asking", onError: () => {} });
    const line = connectToHub(bus, { folder: state, gates: { events: ["tool:result"], onFailure: "open" } });
    onTestFinished(() => void line.close(0));
    await expect.poll(() => line.state).toBe("attached");
    const { value } = await bus.transform("tool:result", "a s3cret", call());
    expect(value).toBe("[withheld: what the hub's handlers made of it is not JSON]");
  });

  it("see bytes within a value as text, and withhold more bytes than can be sent where they are closed", async () => {
    const code = "(type, { value }) => ({ result: JSON.parse(JSON.stringify(value).replaceAll('s3cret', '***')) })";
    const { bus } = await setting(folder("redact", "events: [tool:result]\nonFailure: closed\n", code));
    const run = async (stdout: Buffer) => (await bus.runTool(call(), () => ({ stdout }))).output;
    expect(await run(Buffer.from("a s3cret"))).toEqual({ stdout: new TextEncoder().encode("a ***") });
    expect(await run(Buffer.alloc(1024 * 1024 + 1))).toMatch(/^\[withheld: "hub" failed/);
  });

  it("withhold what is too large to be sent back, also where they are open", async () => {
    const { bus, hub } = await setting(folder("look", "events: [tool:result]\nonFailure: open\n", "() => undefined"));
    hub.parts.bus.on("tool:result", ({ value }) => replace(String(value).repeat(5)), { name: "grow" });
    const { value } = await bus.transform("tool:result", "x".repeat(1_000_000), call());
    expect(value).toMatch(/^\[withheld: .* longer than \d+ bytes\]$/);
  });

  it.each([
    ["a text", "key sk-0123456789 and sk-abcdef", "key [key] and [key]"],
    ["the texts in a table", { stdout: "sk-0123456789", code: 0, more: ["sk-abcdef"] }, { stdout: "[key]", code: 0, more: ["[key]"] }],
    ["keys", { "sk-abcdef": 1, nested: [{ "sk-abcdef": "x" }] }, { "[key]": 1, nested: [{ "[key]": "x" }] }],
    ["bytes", Buffer.from("key sk-abcdef"), "key [key]"],
    ["numbers", { card: 4_111_111_111_111_111, code: 0 }, { card: "[key]", code: 0 }],
    ["nothing where there is none", { code: 0 }, { code: 0 }],
  ])("of a rule replace in %s", async (_, value, expected) => {
    const rules = `[[rule]]\nname = "no-keys"\nevent = "tool:result"\ndo = "replace"\nfind = 'sk-[a-z0-9]+|4[0-9]{15}'\nwith = "[key]"\n`;
    const { bus } = await setting({}, rules);
    expect((await bus.transform("tool:result", value, call())).value).toEqual(expected);
  });

  it.each([
    ["a rule with a pattern that is not one", {}, `[[rule]]\nname = "r"\nevent = "tool:result"\ndo = "replace"\nfind = '('\nwith = ""\n`],
    ["a hook with a key that is wrong", folder("r", "events: [tool:result]\nonFailure: closed\npriority: high\n", REDACT), ""],
    ["a hook whose event is not a name", folder("r", "events: {tool:result: {}}\nonFailure: closed\n", REDACT), ""],
    ["a hook with a key that is not known", {}, `[[hook]]\nname = "r"\nevent = "tool:result"\nonFialure = "closed"\ncommand = "cat"\n`],
    ["a hook without a handler", { "hooks/r/HOOK.yaml": "name: r\nevents: [tool:result]\nonFailure: closed\n" }, ""],
  ] as const)("that are closed and broken withhold the value: %s", async (_, files, toml) => {
    const { bus, problems } = await setting(files, toml);
    const run = await bus.runTool(call(), () => "a s3cret");
    // Where even its event cannot be made out, no tool runs at all.
    expect([run.status, run.output]).toContainEqual(expect.stringMatching(/^(blocked|\[withheld: "r \(broken\)" failed \(disabled\)\])$/));
    expect(JSON.stringify(run)).not.toContain("s3cret");
    expect(problems.join()).toMatch(/"r"|hooks\/r|rule/);
  });

  it("of a rule say what it has to say to the model", async () => {
    const rules = `[[rule]]\nname = "polite"\nevent = "prompt:build"\ndo = "inject"\nmessage = "Be polite."\n`;
    const { bus } = await setting({}, rules);
    expect(await bus.transform("prompt:build", "hello", {})).toMatchObject({ value: "hello", injections: ["Be polite."] });
  });
});

describe("what observers in the hub leave", () => {
  const session = { session: { id: "s1" } };

  it("reaches the process at the session's next boundary, once", async () => {
    const { bus, line } = await setting(folder("after", "events: [tool:after]\nonFailure: open\n", "() => ({ inject: 'run the tests' })"));
    await bus.runTool(call("ls", session), () => "ok");
    await line.flush();
    await expect.poll(() => bus.has("prompt:submit")).toBe(true);
    expect((await bus.decide("prompt:submit", { session: { id: "other" }, prompt: "hi" })).injections).toEqual([]);
    expect((await bus.decide("prompt:submit", { ...session, prompt: "hi" })).injections).toEqual(["run the tests"]);
    expect((await bus.decide("prompt:submit", { ...session, prompt: "hi" })).injections).toEqual([]);
    expect(bus.has("prompt:submit")).toBe(false);
  });

  it("goes into the process's book of reminders", async () => {
    const { bus, line, book } = await setting(
      folder("turn", "events: [turn:end]\nonFailure: open\n", "() => ({ reminder: { body: 'write it down' } })"),
    );
    await bus.emit("turn:end", session);
    await line.flush();
    await expect.poll(() => book.list(session.session).map(({ spec }) => spec.body)).toEqual(["write it down"]);
    expect(book.render(session.session)).toContain("write it down");
  });

  it("is among the reminders of the next decision where the process has no book", async () => {
    const { state, hub } = await setting({});
    hub.parts.bus.on("turn:end", () => remind({ body: "write it down" }));
    const bus = createBus({ source: "bookless", onError: () => {} });
    const line = connectToHub(bus, { folder: state });
    onTestFinished(() => void line.close(0));
    await expect.poll(() => line.state).toBe("attached");
    await bus.emit("turn:end", session);
    await line.flush();
    await expect.poll(() => bus.has("turn:before")).toBe(true);
    const { reminders } = await bus.decide("turn:before", session);
    expect(reminders.map(({ spec }) => spec.body)).toEqual(["write it down"]);
  });

  it("waits for the next boundary where the call is denied, and is not taken back by a rewrite", async () => {
    const { bus, line } = await setting(folder("after", "events: [tool:after]\nonFailure: open\n", "() => ({ inject: 'run the tests' })"));
    await bus.runTool(call("ls", session), () => "ok");
    await line.flush();
    await expect.poll(() => bus.has("prompt:submit")).toBe(true);
    const off = bus.on("prompt:submit", () => ({ block: true, reason: "no" }));
    expect(await bus.decide("prompt:submit", { ...session, prompt: "hi" })).toMatchObject({ verdict: "deny", injections: [] });
    off();
    let looks = 0;
    const rewritten = () => (++looks === 2 ? { modify: { ...session, prompt: "again" } } : undefined);
    bus.on("prompt:submit", rewritten, { priority: 1 });
    bus.on("prompt:submit", () => (looks === 1 ? { modify: { ...session, prompt: "once" } } : undefined));
    const decision = await bus.decide("prompt:submit", { ...session, prompt: "hi" });
    expect(decision).toMatchObject({ verdict: "pass", injections: ["run the tests"], payload: { prompt: "again" } });
  });

  it("is told a part at a time, however much there is", async () => {
    const { bus, line, hub } = await setting(folder("after", "events: [tool:after]\nonFailure: open\n", "() => ({ inject: 'note' })"));
    for (let n = 0; n < 120; n++) bus.emitSync("tool:after", { ...call("ls", session), status: "ok" } as never);
    await line.flush();
    await expect.poll(() => hub.parts.effects.counters.left).toBe(120);
    let heard = 0;
    await expect
      .poll(
        async () => {
          const { verdict, injections } = await bus.decide("prompt:submit", { ...session, prompt: "hi" });
          expect(verdict).toBe("pass");
          expect(injections.length).toBeLessThanOrEqual(50);
          heard += injections.length;
          return heard;
        },
        { timeout: 10_000 },
      )
      .toBe(120);
  });

  it("does not lose the connection over a text that is too long, nor over handlers of the same name", async () => {
    const { bus, line, hub } = await setting(folder("after", "events: [tool:after]\nonFailure: open\n", "() => undefined"));
    hub.parts.bus.on("tool:after", ({ payload }) => inject(payload.tool.callId === "long" ? "x".repeat(5_000_000) : "short"), {
      name: "say",
    });
    for (const name of ["hub effects", "operator"]) bus.on("prompt:submit", () => {}, { name });
    for (const callId of ["long", "c1"])
      bus.emitSync("tool:after", { ...session, tool: { name: "bash", callId, input: {} }, status: "ok" });
    await line.flush();
    await expect.poll(() => hub.parts.effects.counters).toMatchObject({ left: 2, dropped: 1 });
    const told = async () => (await bus.decide("prompt:submit", { ...session, prompt: "hi" })).injections;
    await expect.poll(told).toEqual(["short"]);
    expect(line.state).toBe("attached");
  });

  it("of an event without a session is not told to a session", async () => {
    const { bus, line } = await setting(folder("after", "events: [tool:after]\nonFailure: open\n", "() => ({ inject: 'note' })"));
    await bus.runTool(call("ls"), () => "ok");
    await line.flush();
    await expect.poll(() => bus.has("prompt:submit")).toBe(true);
    expect((await bus.decide("prompt:submit", { ...session, prompt: "hi" })).injections).toEqual([]);
    expect((await bus.decide("prompt:submit", { prompt: "hi" })).injections).toEqual(["note"]);
  });

  it("is counted until it has arrived", async () => {
    const { bus, line, hub } = await setting(
      folder("after", "events: [tool:after]\nonFailure: open\n", "() => ({ inject: 'run the tests' })"),
    );
    await bus.runTool(call("ls", session), () => "ok");
    await line.flush();
    await expect.poll(() => hub.parts.effects.counters).toMatchObject({ left: 1, delivered: 0 });
    await expect.poll(() => bus.has("prompt:submit")).toBe(true);
    await bus.decide("prompt:submit", { ...session, prompt: "hi" });
    await expect.poll(() => hub.parts.effects.counters).toMatchObject({ left: 1, delivered: 1, waiting: 0 });
  });
});
