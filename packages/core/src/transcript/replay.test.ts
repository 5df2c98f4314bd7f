import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  again,
  allow,
  ask,
  type Bus,
  block,
  createBus,
  type Decision,
  handled,
  inject,
  modify,
  remind,
  type ToolPayload,
} from "../index.js";
import { createTranscript, readTranscript, replayBus, type Transcript } from "./index.js";

const call = (command: string, more: object = {}, session = "s1"): ToolPayload => ({
  session: { id: session },
  tool: { name: "bash", input: { command, ...more } },
});
const miss = expect.objectContaining({ code: "HL_REPLAY_MISS" });

function recorder(bus: Bus = createBus({ onError: () => {} })): { readonly bus: Bus; readonly transcript: Transcript } {
  const transcript = createTranscript();
  transcript.attach(bus);
  return { bus, transcript };
}

/** What a caller acts on: everything but the trail, with an error as its code and message. */
function essence({ trail, cause, payload, ...decision }: Decision) {
  return { ...decision, payload, cause: cause && { code: cause.code, message: cause.message, failure: cause.failure } };
}

function guarded(): { readonly bus: Bus; readonly transcript: Transcript; readonly calls: () => number } {
  const { bus, transcript } = recorder();
  let count = 0;
  bus.on(
    "tool:before",
    async (event) => {
      count++;
      const { command } = event.payload.tool.input;
      if (command === "rm") return [block("no", { endLoop: true }), remind({ body: "never rm" })];
      if (command === "ask") return ask("sure?");
      if (command === "nice") return [allow("fine"), inject("hint")];
      if (command === "fix") return modify({ ...event.payload, tool: { ...event.payload.tool, input: { command: "fixed" } } });
      if (command === "crash") throw new Error("crashed");
      return undefined;
    },
    { name: "guard", onFailure: "closed" },
  );
  return { bus, transcript, calls: () => count };
}

describe("decide", () => {
  it("gives the same decisions without calling a handler", async () => {
    const { bus, transcript, calls } = guarded();
    bus.on("finish:before", () => again("more"), { name: "more" });
    bus.on("command:hi", () => handled("hello"), { name: "hi" });
    const commands = ["ls", "rm", "ask", "nice", "fix", "crash", "ls"];
    const then = [];
    for (const command of commands) then.push(await bus.decide("tool:before", call(command)));
    then.push(await bus.decide("finish:before", {}), await bus.decide("command:hi", {}));
    const called = calls();
    const replay = replayBus(transcript);
    const now = [];
    for (const command of commands) now.push(await replay.decide("tool:before", call(command)));
    now.push(await replay.decide("PreFinish", {}), await replay.decide("command:hi", {}));
    expect(now.map(essence)).toEqual(then.map(essence));
    // The tape holds what handlers did; the answer to a question is in the decision.
    const steps = ({ trail }: Decision): string[] =>
      trail.filter(({ stage }) => stage !== "approval").map(({ actor, action }) => `${actor.name} ${action}`);
    expect(now.map(steps)).toEqual(then.map(steps));
    expect(calls()).toBe(called);
    expect(replay.remaining).toEqual([]);
  });

  it("gives them from lines too, for any sequence of calls", async () => {
    const command = fc.constantFrom("ls", "rm", "ask", "nice", "fix", "crash");
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 8 }), async (commands) => {
        const { bus, transcript } = guarded();
        const then = await Promise.all(commands.map((each) => bus.decide("tool:before", call(each))));
        const lines = transcript.entries.map((entry) => JSON.stringify(entry));
        const replay = replayBus(readTranscript(lines));
        const now = await Promise.all(commands.map((each) => replay.decide("tool:before", call(each))));
        expect(now.map(essence)).toEqual(then.map(essence));
      }),
      { numRuns: 50 },
    );
  });

  it("hands back the payload it is given, with its secrets, if it was not rewritten", async () => {
    const { bus, transcript } = guarded();
    await bus.decide("tool:before", call("ls", { token: "then" }));
    const payload = call("ls", { token: "now" });
    expect((await replayBus(transcript).decide("tool:before", payload)).payload).toBe(payload);
  });

  it("compares after redaction", async () => {
    const bus = createBus();
    const redact = (payload: unknown) => ({ ...(payload as object), session: "hidden by us" });
    const transcript = createTranscript({ redact });
    transcript.attach(bus);
    await bus.decide("tool:before", call("ls", { password: "then" }));
    expect(() => replayBus(transcript).decide("tool:before", call("ls", { password: "x" }))).toThrow(miss);
    expect(replayBus(transcript, { redact }).decide("tool:before", call("ls", { password: "now" }))).toMatchObject({ verdict: "pass" });
    expect(() => replayBus(transcript, { redact }).decide("tool:before", call("ls"))).toThrow(miss);
  });

  it("misses a call that is not next, and names what was expected", async () => {
    const { bus, transcript } = guarded();
    await bus.decide("tool:before", call("ls", { token: "t" }));
    await bus.decide("tool:before", call("rm"));
    const replay = replayBus(transcript);
    expect(() => replay.decide("tool:before", call("rm"))).toThrow('entry 2 has "ls" at payload.tool.input.command');
    expect(() => replay.decide("tool:before", call("secret text"))).toThrow(miss);
    replay.decide("tool:before", call("ls", { token: "other" }));
    expect(replay.remaining).toEqual([{ n: 5, event: "tool:before" }]);
    replay.decide("tool:before", call("rm"));
    expect(() => replay.decide("tool:before", call("rm"))).toThrow('The tape has no more calls of "tool:before".');
    expect(() => replay.decide("llm:before", {})).toThrow(miss);
  });

  it("refuses names and kinds as the bus does", () => {
    const replay = replayBus([]);
    expect(() => replay.decide("tool:befor" as string, {})).toThrow(expect.objectContaining({ code: "HL_UNKNOWN_EVENT" }));
    expect(() => replay.decide("tool:after" as string, {})).toThrow(expect.objectContaining({ code: "HL_WRONG_KIND" }));
    const badPayload = expect.objectContaining({ code: "HL_BAD_PAYLOAD" });
    for (const payload of [undefined, null, "text", 7, []]) {
      expect(() => replay.decide(String("tool:before"), payload)).toThrow(badPayload);
      if (payload !== undefined) expect(() => replay.transform(String("tool:result"), "value", payload)).toThrow(badPayload);
    }
    expect(() => replay.transform("tool:before" as never, 1 as never)).toThrow(expect.objectContaining({ code: "HL_WRONG_KIND" }));
  });

  it.each(["its handler", "its matcher"])("rejects where a guard aborted by %s", async (what) => {
    const { bus, transcript } = recorder();
    const fail = () => {
      throw new Error("gone");
    };
    bus.on("tool:before", what === "its matcher" ? () => {} : fail, {
      name: "strict",
      match: what === "its matcher" ? fail : () => true,
      onFailure: "abort",
    });
    const then = await Promise.resolve(bus.decide("tool:before", call("ls"))).catch((error) => error);
    const replay = replayBus(transcript);
    expect(() => replay.decide("tool:before", call("other"))).toThrow(miss);
    const now = await Promise.resolve(replay.decide("tool:before", call("ls"))).catch((error) => error);
    expect(then.code).toBe("HL_ABORTED");
    expect([now.code, now.message, now.handler]).toEqual([then.code, then.message, then.handler]);
  });
});

describe("order", () => {
  /** Two calls in flight at once, the second decided first. */
  async function concurrent() {
    const { bus, transcript } = recorder();
    const release = new Map<unknown, () => void>();
    bus.on("tool:before", async (event) => {
      const { command } = event.payload.tool.input;
      await new Promise<void>((resolve) => release.set(command, resolve));
      return block(command);
    });
    const both = [bus.decide("tool:before", call("a")), bus.decide("tool:before", call("b"))];
    release.get("b")?.();
    await both[1];
    release.get("a")?.();
    await both[0];
    const last = bus.decide("tool:before", call("c"));
    release.get("c")?.();
    await last;
    return transcript;
  }

  it.each([["a,b,c"], ["b,a,c"]])("calls that were in flight together are answered in any order: %s", async (order) => {
    const replay = replayBus(await concurrent());
    const now = await Promise.all(order.split(",").map((command) => replay.decide("tool:before", call(command))));
    expect(now.map(({ reason }) => reason).join()).toBe(order);
  });

  it("those that were not are not", async () => {
    const replay = replayBus(await concurrent());
    replay.decide("tool:before", call("b"));
    expect(() => replay.decide("tool:before", call("c"))).toThrow(miss);
  });

  it("is each session's own", async () => {
    const { bus, transcript } = recorder();
    for (const session of ["one", "two", "one"]) await bus.decide("tool:before", call("x", {}, session));
    const replay = replayBus(transcript);
    for (const session of ["two", "one", "one"]) replay.decide("tool:before", call("x", {}, session));
    expect(replay.remaining).toEqual([]);
  });

  it("does not wait for what handlers had decided among themselves", async () => {
    const { bus, transcript } = recorder();
    bus.on("tool:before", async (event) => {
      if (event.payload.tool.input.command === "outer") await event.bus.decide("tool:before", call("inner"));
    });
    await bus.decide("tool:before", call("outer"));
    await bus.decide("tool:before", call("next"));
    const replay = replayBus(transcript);
    replay.decide("tool:before", call("outer"));
    replay.decide("tool:before", call("next"));
    expect(replay.remaining).toEqual([]);
  });
});

describe("the rest of the bus", () => {
  it("transforms as then, whatever time the tool took", async () => {
    const { bus, transcript } = recorder();
    bus.on("tool:result", (event) => (event.value === "long" ? "short" : undefined), { name: "cut" });
    const run = await bus.runTool(call("ls"), () => "long");
    await bus.transform("tool:result", "kept", call("ls"));
    const replay = replayBus(transcript);
    const context = { session: { id: "s1" }, tool: { ...call("ls").tool, output: "long", isError: false, durationMs: 99 } };
    expect(await replay.transform("tool:result", "long", context)).toMatchObject({ value: run.output, injections: [], reminders: [] });
    expect((await replay.transform("tool:result", "kept", call("ls"))).trail).toMatchObject([{ actor: { name: "cut" }, action: "pass" }]);
    expect(() => replay.transform("tool:result", "kept", call("ls"))).toThrow(miss);
  });

  it("collects as then, and calls no handler", async () => {
    const { bus, transcript } = recorder();
    let told = 0;
    bus.on("command:list", async () => {
      told++;
      return { a: 1 };
    });
    bus.on("command:list", () => null);
    bus.on("command:list", () => "b");
    expect(await bus.collect("command:list", { x: 1 })).toEqual([{ a: 1 }, "b"]);
    const replay = replayBus(transcript.entries);
    expect(await replay.collect("command:list", { x: 1 })).toEqual([{ a: 1 }, "b"]);
    await expect(replay.collect("command:list", { x: 1 })).rejects.toThrow(miss);
    replay.emit("agent:start", {});
    replay.emitSync("agent:start", {});
    expect(told).toBe(1);
  });
});
