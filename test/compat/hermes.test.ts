import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type BusOptions, block, createBus, getDefaultBus, HookError, mirror, setDefaultBus } from "@hookline/core";
import { afterEach, describe, expect, it } from "vitest";

const run = promisify(execFile);
const dist = fileURLToPath(new URL("../../packages/core/dist/", import.meta.url));
const distEntry = pathToFileURL(join(dist, "index.js")).href;

/** Hermes goes on without a handler that fails. */
function reportingBus(options: BusOptions = {}) {
  const errors: HookError[] = [];
  return { bus: createBus({ onFailure: "open", ...options, onError: (error) => errors.push(error) }), errors };
}

describe("register and unregister", () => {
  it("returns a function that unregisters exactly this handler, also when the same function is registered twice", () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    const handler = () => void seen.push("called");
    const offFirst = bus.on("agent:start", handler);
    bus.on("agent:start", handler);
    bus.emit("agent:start");
    expect(seen).toHaveLength(2);
    offFirst();
    bus.emit("agent:start");
    expect(seen).toHaveLength(3);
  });

  it("unregisters idempotently: a second call neither throws nor takes another handler away", () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    const offFirst = bus.on("agent:start", () => void seen.push("first"));
    bus.on("agent:start", () => void seen.push("second"));
    expect(offFirst()).toBeUndefined();
    expect(() => offFirst()).not.toThrow();
    bus.on("agent:start", () => void seen.push("third"));
    offFirst();
    bus.emit("agent:start");
    expect(seen).toEqual(["second", "third"]);
    expect(bus.count("agent:start")).toBe(2);
  });

  it("unregisters a wildcard handler like any other, and at the end of a using block", () => {
    const { bus } = reportingBus();
    {
      using _off = bus.on("session:*", () => undefined);
      expect(bus.has("session:start")).toBe(true);
    }
    expect(bus.has("session:start")).toBe(false);
    expect(bus.count()).toBe(0);
  });

  it("lets a handler unregister itself and others while it runs: the running emit keeps its list", () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    const offFirst = bus.on("agent:step", () => {
      seen.push("first");
      offFirst();
      offSecond();
    });
    const offSecond = bus.on("agent:step", () => void seen.push("second"));
    bus.emit("agent:step");
    expect(seen).toEqual(["first", "second"]);
    bus.emit("agent:step");
    expect(seen).toEqual(["first", "second"]);
  });
});

describe("exact and wildcard handlers", () => {
  it("runs exact handlers before wildcard ones, each group in order of registration", async () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.on("*", () => void seen.push("everything"));
    bus.on("command:*", () => void seen.push("wildcard 1"));
    bus.on("command:reset", () => void seen.push("exact 1"));
    bus.on("command:*", () => void seen.push("wildcard 2"));
    bus.on("command:reset", () => void seen.push("exact 2"));
    const ordered = ["exact 1", "exact 2", "everything", "wildcard 1", "wildcard 2"];
    await bus.emit("command:reset");
    expect(seen.splice(0)).toEqual(ordered);
    bus.emitSync("command:reset");
    expect(seen.splice(0)).toEqual(ordered);
    await bus.collect("command:reset");
    expect(seen.splice(0)).toEqual(ordered);
    await bus.decide("command:reset", {});
    expect(seen).toEqual(ordered);
  });

  it("starts asynchronous exact handlers before wildcard ones too", async () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.on("agent:*", async () => void seen.push("wildcard"));
    bus.on("agent:end", async () => {
      seen.push("exact");
      await sleep(5);
    });
    await bus.emit("agent:end");
    expect(seen).toEqual(["exact", "wildcard"]);
  });

  it("matches every event of its namespace and no other with ns:*", () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.on("agent:*", (event) => void seen.push(event.name));
    for (const name of ["agent:start", "agent:step", "agent:end", "session:start", "turn:end"] as const) bus.emit(name);
    bus.emit("agents:start");
    expect(seen).toEqual(["agent:start", "agent:step", "agent:end"]);
  });

  it("never lets ns:* cross a colon", () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.on("deploy:*", (event) => void seen.push(`deploy:* ${event.name}`));
    bus.on("deploy:prod:*", (event) => void seen.push(`deploy:prod:* ${event.name}`));
    bus.emit("deploy:started");
    bus.emit("deploy:prod:started");
    bus.emit("deploy:prod:eu:started");
    expect(seen).toEqual(["deploy:* deploy:started", "deploy:prod:* deploy:prod:started"]);
  });

  it("gives a wildcard handler the real event's name, not the pattern, whatever spelling was emitted", () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.on("session:*", (event) => void seen.push(event.name));
    bus.emit("session:reset");
    bus.emit("on_session_reset");
    expect(seen).toEqual(["session:reset", "session:reset"]);
  });
});

describe("synchronous emit", () => {
  it("runs synchronous handlers before it returns", () => {
    const { bus } = reportingBus();
    const seen: unknown[] = [];
    bus.on("tui:tool.start", (event) => void seen.push(event.payload));
    expect(bus.emitSync("tui:tool.start", { session_id: "s1", payload: 7 })).toBeUndefined();
    expect(seen).toEqual([{ session_id: "s1", payload: 7 }]);
  });

  it("starts asynchronous handlers at once, does not wait for them, and follows them to their end", async () => {
    const { bus, errors } = reportingBus();
    const seen: string[] = [];
    bus.on("agent:step", async () => {
      seen.push("started");
      await sleep(5);
      seen.push("finished");
    });
    bus.on("agent:step", () => void seen.push("synchronous"));
    expect(bus.emitSync("agent:step")).toBeUndefined();
    expect(seen).toEqual(["started", "synchronous"]);
    await expect.poll(() => seen).toEqual(["started", "synchronous", "finished"]);
    expect(errors).toEqual([]);
  });

  it("reports an asynchronous handler's rejection instead of leaving it unhandled", async () => {
    const { bus, errors } = reportingBus();
    bus.on(
      "agent:step",
      async () => {
        await sleep(1);
        throw new Error("late failure");
      },
      { name: "late" },
    );
    bus.emitSync("agent:step");
    await expect.poll(() => errors.length).toBe(1);
    expect(errors[0]).toBeInstanceOf(HookError);
    expect(errors[0]).toMatchObject({ code: "HL_HANDLER_FAILED", event: "agent:step", handler: "late", failure: "crash" });
    expect(errors[0]?.message).toContain("late failure");
    expect(errors[0]?.cause).toEqual(new Error("late failure"));
  });

  it("never throws: not for a handler that throws, nor for one that throws nonsense, nor for an error listener that throws", () => {
    const bus = createBus({
      onError: () => {
        throw new Error("the listener is broken too");
      },
    });
    const seen: string[] = [];
    bus.on("agent:step", () => {
      throw new Error("boom");
    });
    bus.on("agent:step", () => {
      throw undefined;
    });
    bus.on("agent:step", () => {
      throw Object.create(null);
    });
    bus.on("agent:step", () => void seen.push("still called"));
    expect(() => bus.emitSync("agent:step")).not.toThrow();
    expect(seen).toEqual(["still called"]);
  });

  it("never throws for an unknown name: it is reported once, with a suggestion", () => {
    const { bus, errors } = reportingBus();
    for (let i = 0; i < 3; i++) expect(() => bus.emitSync("session:strat" as "session:start")).not.toThrow();
    expect(errors.map(({ code }) => code)).toEqual(["HL_UNKNOWN_EVENT"]);
    expect(errors[0]?.message).toContain("session:start");
  });
});

describe("collected results", () => {
  it("drops null and undefined and keeps everything else, falsy values too, in handler order", async () => {
    const { bus } = reportingBus();
    for (const value of ["first", null, 0, undefined, "", false, { deny: "no" }]) bus.on("command:reset", () => value);
    expect(await bus.collect("command:reset")).toEqual(["first", 0, "", false, { deny: "no" }]);
  });

  it("keeps handler order when the first answers last, and mixes synchronous and asynchronous handlers", async () => {
    const { bus } = reportingBus();
    bus.on("command:*", () => "wildcard");
    bus.on("command:reset", async () => {
      await sleep(15);
      return "slow";
    });
    bus.on("command:reset", () => "quick");
    bus.on("command:reset", async () => null);
    bus.on("command:reset", async () => "prompt");
    expect(await bus.collect("command:reset")).toEqual(["slow", "quick", "prompt", "wildcard"]);
  });

  it("leaves a failing handler out and reports it", async () => {
    const { bus, errors } = reportingBus();
    bus.on("agent:end", () => "before");
    bus.on(
      "agent:end",
      () => {
        throw new Error("sync boom");
      },
      { name: "thrower" },
    );
    bus.on("agent:end", () => Promise.reject(new Error("async boom")), { name: "rejecter" });
    bus.on("agent:end", () => "after");
    expect(await bus.collect("agent:end")).toEqual(["before", "after"]);
    expect(errors.map(({ handler }) => handler).sort()).toEqual(["rejecter", "thrower"]);
  });

  it("is an empty list when nobody listens", async () => {
    expect(await createBus().collect("command:reset")).toEqual([]);
  });
});

describe("missing context", () => {
  it("is an empty object in every kind of dispatch", async () => {
    const { bus } = reportingBus();
    const seen: unknown[] = [];
    const note = (event: { readonly payload: unknown }) => void seen.push(event.payload);
    bus.on("agent:start", note);
    bus.on("command:reset", note);
    bus.on("prompt:build", note);
    await bus.emit("agent:start");
    bus.emitSync("agent:start");
    bus.event("agent:start").emit();
    await bus.collect("command:reset");
    const decision = await bus.decide("command:reset", {});
    await bus.transform("prompt:build", "text");
    expect(seen).toEqual([{}, {}, {}, {}, {}, {}]);
    expect(decision.payload).toEqual({});
  });

  it("is an empty object of its own each time: what one handler writes into it does not reach the next emit", () => {
    const { bus } = reportingBus();
    const seen: object[] = [];
    bus.on("agent:start", (event) => {
      seen.push({ ...event.payload });
      (event.payload as { dirty?: boolean }).dirty = true;
    });
    bus.emit("agent:start");
    bus.emit("agent:start");
    expect(seen).toEqual([{}, {}]);
  });
});

describe("the default registry", () => {
  const before = getDefaultBus();
  afterEach(() => void setDefaultBus(before));

  it("is one bus per process until it is replaced", () => {
    expect(getDefaultBus()).toBe(getDefaultBus());
  });

  it("is replaceable: those who ask later get the new one, and the old one is given back", () => {
    const publish = () => getDefaultBus().emit("agent:start");
    const replacement = createBus();
    let calls = 0;
    replacement.on("agent:start", () => void calls++);
    publish();
    expect(calls).toBe(0);
    expect(setDefaultBus(replacement)).toBe(before);
    expect(getDefaultBus()).toBe(replacement);
    publish();
    expect(calls).toBe(1);
  });

  it("is shared by two copies of the package in one process, and a copy's outcomes are understood by the other's bus", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hookline-second-copy-"));
    try {
      await cp(dist, join(folder, "dist"), { recursive: true });
      await writeFile(join(folder, "package.json"), '{ "type": "module" }');
      const script = `
        import * as one from ${JSON.stringify(distEntry)};
        import * as two from ${JSON.stringify(pathToFileURL(join(folder, "dist", "index.js")).href)};
        const bus = one.getDefaultBus();
        bus.on("tool:before", () => two.block("said by the other copy"));
        const { verdict, reason } = await two.getDefaultBus().decide("tool:before", { tool: { name: "bash", input: {} } });
        const replacement = two.createBus();
        const given = two.setDefaultBus(replacement);
        console.log(JSON.stringify({
          areCopies: one.createBus !== two.createBus,
          isShared: one.getDefaultBus() === replacement && given === bus,
          verdict, reason,
        }));`;
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script]);
      expect(JSON.parse(stdout)).toEqual({ areCopies: true, isShared: true, verdict: "deny", reason: "said by the other copy" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("a subscriber's exception", () => {
  it("breaks neither the other subscribers nor the publisher", async () => {
    const { bus, errors } = reportingBus();
    const seen: string[] = [];
    bus.on("session:end", () => void seen.push("first"));
    bus.on("session:end", throwing("sync boom"), { name: "thrower", owner: "plugin", permissions: ["session.lifecycle"] });
    bus.on("session:end", async () => throwing("async boom")(), { name: "rejecter" });
    bus.on("session:end", async () => {
      await sleep(1);
      seen.push("slow");
    });
    bus.on("session:*", () => void seen.push("wildcard"));
    await expect(bus.emit("session:end")).resolves.toBeUndefined();
    expect(seen).toEqual(["first", "wildcard", "slow"]);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatchObject({ code: "HL_HANDLER_FAILED", event: "session:end", handler: "thrower", owner: "plugin" });
    expect(errors[1]).toMatchObject({ code: "HL_HANDLER_FAILED", event: "session:end", handler: "rejecter", owner: undefined });
  });

  it("breaks neither a decision nor a rewrite of the others", async () => {
    const { bus, errors } = reportingBus();
    bus.on("command:reset", throwing("boom"));
    bus.on("command:reset", () => block("not now"));
    expect(await bus.decide("command:reset", {})).toMatchObject({ verdict: "deny", reason: "not now" });
    bus.on("tool:result", throwing("boom"));
    bus.on("tool:result", (event) => `${event.value}!`);
    expect(await bus.transform("tool:result", "done")).toMatchObject({ value: "done!" });
    expect(errors.map(({ event }) => event)).toEqual(["command:reset", "tool:result"]);
  });
});

describe("mirrored UI events", () => {
  it("are emitted as tui:<event> with { session_id, payload }, after the original write", () => {
    const { bus } = reportingBus();
    const { seen, write } = writer();
    bus.on("tui:message.delta", (event) => void seen.push(["exact", event.name, event.payload]));
    bus.on("tui:*", (event) => void seen.push(["wildcard", event.name, event.payload]));
    const emitUi = mirror(bus, "tui", write);
    expect(emitUi("message.delta", "s1", { text: "hel" })).toBeUndefined();
    const mirrored = { session_id: "s1", payload: { text: "hel" } };
    expect(seen).toEqual([
      ["write", "message.delta", "s1", { text: "hel" }],
      ["exact", "tui:message.delta", mirrored],
      ["wildcard", "tui:message.delta", mirrored],
    ]);
  });

  it("are mirrored without a session and a payload too", () => {
    const { bus } = reportingBus();
    const { seen, write } = writer();
    bus.on("tui:*", (event) => void seen.push([event.name, event.payload.session_id, event.payload.payload]));
    mirror(bus, "tui", write)("gateway.ready");
    expect(seen).toEqual([
      ["write", "gateway.ready", undefined, undefined],
      ["tui:gateway.ready", undefined, {}],
    ]);
  });

  it("never hurt the UI: subscribers that throw or reject are reported, the write has happened", async () => {
    const { bus, errors } = reportingBus();
    const { seen, write } = writer();
    bus.on("tui:*", throwing("sync boom"), { name: "thrower" });
    bus.on("tui:*", async () => throwing("async boom")(), { name: "rejecter" });
    expect(() => mirror(bus, "tui", write)("tool.start", "s1", 1)).not.toThrow();
    expect(seen).toEqual([["write", "tool.start", "s1", 1]]);
    await expect.poll(() => errors.map(({ handler }) => handler)).toEqual(["thrower", "rejecter"]);
  });

  it("are emitted although the writer throws, and its failure is reported", () => {
    const { bus, errors } = reportingBus();
    const seen: string[] = [];
    bus.on("tui:*", (event) => void seen.push(event.name));
    expect(() => mirror(bus, "tui", throwing("the terminal is gone"))("tool.start", "s1")).not.toThrow();
    expect(seen).toEqual(["tui:tool.start"]);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain("the terminal is gone");
  });

  it("never end the process because an asynchronous writer rejects: that failure is reported like any other", async () => {
    const script = `
      import { createBus, mirror } from ${JSON.stringify(distEntry)};
      const bus = createBus({ onError: (error) => console.log(error.code, error.message) });
      bus.on("tui:*", (event) => console.log(event.name));
      mirror(bus, "tui", async () => { throw new Error("the pipe is closed"); })("tool.start", "s1");`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script]);
    expect(stdout).toContain("tui:tool.start");
    expect(stdout).toContain("HL_HANDLER_FAILED");
    expect(stdout).toContain("the pipe is closed");
  });

  it("write an event whose name the bus cannot take, and say so without throwing", () => {
    const { bus, errors } = reportingBus();
    const { seen, write } = writer();
    expect(() => mirror(bus, "tui", write)("not a name", "s1")).not.toThrow();
    expect(seen).toEqual([["write", "not a name", "s1", undefined]]);
    expect(errors.map(({ code }) => code)).toEqual(["HL_UNKNOWN_EVENT"]);
  });
});

function throwing(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

function writer() {
  const seen: unknown[][] = [];
  return { seen, write: (...args: unknown[]) => void seen.push(["write", ...args]) };
}
