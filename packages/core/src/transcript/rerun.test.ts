import { describe, expect, it } from "vitest";
import { ask, type Bus, block, createBus, type HandlerOptions, modify, type ToolPayload } from "../index.js";
import { createTranscript, rerun, type Transcript, type TranscriptOptions } from "./index.js";

const call = (input: object): ToolPayload => ({ session: { id: "s1" }, tool: { name: "bash", input: { command: "ls", ...input } } });
const quietBus = (options = {}): Bus => createBus({ onError: () => {}, ...options });

async function recorded(run: (bus: Bus) => unknown, options: TranscriptOptions = {}): Promise<Transcript> {
  const bus = quietBus();
  const transcript = createTranscript(options);
  transcript.attach(bus);
  await run(bus);
  return transcript;
}

function noRm(bus: Bus, options: HandlerOptions = {}): Bus {
  bus.on("tool:before", (event) => (event.payload.tool.input.command === "rm" ? block("no rm") : undefined), { name: "no-rm", ...options });
  return bus;
}

describe("rerun", () => {
  it("finds nothing where nothing has changed", async () => {
    const register = (bus: Bus): Bus => {
      bus.on("tool:before", (event) => modify({ ...event.payload, seen: true }), { name: "mark", stage: "rewrite" });
      bus.on("tool:result", (event) => `${event.value}!`, { name: "louder" });
      bus.on(
        "tool:before",
        () => {
          throw new Error("gone");
        },
        { name: "strict", match: "tool.input.command == 'abort'", onFailure: "abort" },
      );
      return noRm(bus);
    };
    const tape = await recorded(async (bus) => {
      register(bus);
      for (const command of ["ls", "rm", "abort"]) await Promise.resolve(bus.decide("tool:before", call({ command }))).catch(() => {});
      await bus.runTool(call({}), () => "done");
    });
    expect(await rerun(tape, register(quietBus()))).toEqual({ same: 5, different: [], inconclusive: [] });
  });

  it("shows what comes out differently, and why", async () => {
    const tape = await recorded(async (bus) => {
      noRm(bus);
      bus.on("tool:result", () => "then", { name: "value" });
      for (const command of ["ls", "rm"]) await bus.decide("tool:before", call({ command }));
      await bus.transform("tool:result", "v", call({}));
    });
    const bus = quietBus();
    bus.on("tool:before", (event) => modify({ ...event.payload, tool: { ...event.payload.tool, input: { command: "echo" } } }), {
      name: "tame",
    });
    const { same, different, inconclusive } = await rerun(tape.entries, bus);
    expect([same, inconclusive]).toEqual([0, []]);
    expect(different).toMatchObject([
      { n: 4, event: "tool:before", recorded: { verdict: "pass", modified: false }, now: { verdict: "pass", modified: true } },
      {
        n: 7,
        recorded: { verdict: "deny", by: "no-rm" },
        now: { verdict: "pass" },
        why: expect.stringMatching(
          /^verdict was "deny" and is "pass"; out was nothing and is \{.*"echo".*\}; reason was "no rm" and is nothing; by was "no-rm"/,
        ),
      },
      { n: 10, event: "tool:result", why: 'out was "then" and is nothing.' },
    ]);
  });

  it("is not stopped by today's errors", async () => {
    const tape = await recorded((bus) => bus.decide("tool:before", call({})));
    const bus = quietBus();
    bus.on(
      "tool:before",
      () => {
        throw new Error("gone");
      },
      { name: "strict", onFailure: "abort" },
    );
    expect((await rerun(tape, bus)).different).toMatchObject([{ now: { error: { code: "HL_ABORTED" } } }]);
  });

  it("runs nested events from the handlers that start them, once", async () => {
    const register = (bus: Bus, seen: string[]): Bus => {
      bus.on("tool:before", async (event) => {
        seen.push(String(event.payload.tool.input.command));
        if (event.payload.tool.input.command === "outer") await event.bus.decide("tool:before", call({ command: "inner" }));
      });
      return bus;
    };
    const tape = await recorded((bus) => register(bus, []).decide("tool:before", call({ command: "outer" })));
    const seen: string[] = [];
    expect(await rerun(tape, register(quietBus(), seen))).toMatchObject({ same: 1 });
    expect(seen).toEqual(["outer", "inner"]);
  });

  it("emits what was told only when asked, for guards that keep state", async () => {
    const register = (bus: Bus): Bus => {
      let steps = 0;
      bus.on("agent:step", () => void steps++);
      bus.on("tool:before", () => (steps > 1 ? block("enough") : undefined), { name: "enough" });
      return bus;
    };
    const tape = await recorded(async (bus) => {
      register(bus);
      for (let i = 0; i < 2; i++) await bus.emit("agent:step", {});
      await bus.decide("tool:before", call({}));
    });
    expect(await rerun(tape, register(quietBus()), { observe: true })).toMatchObject({ same: 1, different: [] });
    expect(await rerun(tape, register(quietBus()))).toMatchObject({ same: 0, different: [{ now: { verdict: "pass" } }] });
  });
});

describe("inconclusive", () => {
  const secret = { token: "t", env: { DB_PASSWORD: "p", HOME: "/" }, list: [{ pin: 1 }, 2] };
  const redact = ["tool.input.list.*.pin"];
  const record = () => recorded((bus) => bus.decide("tool:before", call(secret)), { redact });

  type Reader = (input: Record<string, unknown>) => unknown;
  const readers: [string, Reader, string][] = [
    ["reads it", (input) => input.token, "payload.tool.input.token"],
    ["tests whether it is there", (input) => (input.token ? block() : undefined), "payload.tool.input.token"],
    ["spreads its holder", (input) => void { ...input }, "payload.tool.input.token"],
    [
      "writes JSON",
      (input) => void JSON.stringify(input),
      "payload.tool.input.env.DB_PASSWORD, payload.tool.input.list.0.pin, payload.tool.input.token",
    ],
    ["reads a deeper one", (input) => void (input.env as Record<string, unknown>).DB_PASSWORD, "payload.tool.input.env.DB_PASSWORD"],
    ["reads one in a list", (input) => void (input.list as { pin: unknown }[])[0]?.pin, "payload.tool.input.list.0.pin"],
    ["compares deeply", (input) => void structuredClone(input.env), "payload.tool.input.env.DB_PASSWORD"],
  ];

  it.each([true, false])("a handler that needs a redacted field, frozen: %s", async (freeze) => {
    const tape = await record();
    for (const [name, read, path] of readers) {
      const bus = quietBus({ freeze });
      bus.on("tool:before", (event) => void read(event.payload.tool.input), { name });
      const { same, different, inconclusive } = await rerun(tape, bus);
      expect([name, same, different.length]).toEqual([name, 0, 0]);
      expect(inconclusive).toMatchObject([{ n: 2, event: "tool:before", why: expect.stringContaining(`read ${path}`) }]);
    }
  });

  it.each(["tool.input.token == 't'", "tool.input contains 'x'", { where: { "tool.input.env.DB_PASSWORD": "p" } }, { contains: "zzz" }])(
    "a matcher that needs one: %o",
    async (match) => {
      const bus = quietBus();
      bus.on("tool:before", () => block(), { match });
      expect(await rerun(await record(), bus)).toMatchObject({ same: 0, different: [], inconclusive: [{}] });
    },
  );

  it.each(["tool.name == 'bash'", "tool.input.command == 'rm'", { where: { "tool.input.env.HOME": "/x" } }, "bash"])(
    "not one that does not: %o",
    async (match) => {
      const bus = quietBus({ freeze: true });
      bus.on(
        "tool:before",
        (event) => void [event.payload.tool.input.command, Object.keys(event.payload.tool.input), "token" in event.payload.tool.input],
        { match },
      );
      expect(await rerun(await record(), bus)).toMatchObject({ same: 1, inconclusive: [] });
    },
  );

  it("a rewrite that leaves redacted fields alone is compared", async () => {
    const rewrite = (bus: Bus): Bus => {
      bus.on("tool:before", (event) => modify({ ...event.payload, note: 1 }), { name: "note" });
      return bus;
    };
    const tape = await recorded((bus) => rewrite(bus).decide("tool:before", call(secret)), { redact });
    expect(await rerun(tape, rewrite(quietBus()))).toMatchObject({ same: 1, inconclusive: [] });
    expect(await rerun(tape, quietBus())).toMatchObject({ different: [{ why: expect.stringContaining("out was") }] });
  });

  it("what JSON could not carry is not known either", async () => {
    const tape = await recorded((bus) => bus.decide("tool:before", call({ size: 5n })));
    const bus = quietBus();
    bus.on("tool:before", (event) => (event.payload.tool.input.size === 5n ? block() : undefined));
    expect((await rerun(tape, bus)).inconclusive).toMatchObject([{ why: expect.stringContaining("payload.tool.input.size") }]);
  });

  it("what was hidden as a whole, in payloads and values", async () => {
    const tape = await recorded(
      async (bus) => {
        await bus.decide("tool:before", call({}));
        await bus.transform("tool:result", "v", call({}));
      },
      { redact: ["payload"] },
    );
    expect((await rerun(tape, quietBus())).inconclusive).toHaveLength(2);
  });

  it("a person's answer, and no person answers now", async () => {
    const register = (bus: Bus): Bus => {
      bus.on("tool:before", () => ask("sure?"), { name: "asker" });
      return bus;
    };
    const tape = await recorded((bus) => {
      bus.setApprover(() => ({ verdict: "allow", by: "Ada" }));
      return register(bus).decide("tool:before", call({}));
    });
    expect((await rerun(tape, register(quietBus()))).inconclusive).toMatchObject([{ recorded: { by: "Ada" }, now: { verdict: "deny" } }]);
    const answered = register(quietBus());
    answered.setApprover(() => ({ verdict: "allow", by: "Ada" }));
    expect(await rerun(tape, answered)).toMatchObject({ same: 1 });
    expect(await rerun(await record(), register(quietBus()))).toMatchObject({
      different: [{ now: { cause: { code: "HL_NO_APPROVER" } } }],
    });
  });

  it("what was cancelled, and what never ended", async () => {
    const tape = await recorded(async (bus) => {
      bus.on("tool:before", () => new Promise<never>(() => {}), { timeoutMs: 0 });
      const cancel = new AbortController();
      const cancelled = bus.decide("tool:before", call({}), { signal: cancel.signal });
      cancel.abort();
      await cancelled;
      void bus.decide("tool:before", call({}));
    });
    expect((await rerun(tape, quietBus())).inconclusive.map(({ why }) => why)).toEqual([
      "The caller had cancelled it.",
      "It never ended on the tape.",
    ]);
  });
});
