import {
  again,
  allow,
  ask,
  type BasePayload,
  type Bus,
  block,
  createBus,
  type GateAnswer,
  type GateHandler,
  type HookEvent,
  handled,
  inject,
  lazy,
  modify,
  type ObserveHandler,
  type PlainAnswer,
  remind,
  replace,
  type SessionRef,
  type ToolPayload,
  type ToolStatus,
  type TransformHandler,
} from "@hookline/core";
import { describe, expectTypeOf, it } from "vitest";

const bus = createBus();
const note = { body: "Run the tests." };

describe("a handler is given", () => {
  it("the payload of its event", () => {
    bus.on("tool:before", ({ payload }) => {
      expectTypeOf(payload).toEqualTypeOf<ToolPayload>();
      expectTypeOf(payload.tool.input.command).toEqualTypeOf<string | undefined>();
      expectTypeOf(payload.session).toEqualTypeOf<SessionRef | undefined>();
    });
    bus.on("tool:after", ({ payload }) => expectTypeOf(payload.status).toEqualTypeOf<ToolStatus>());
    bus.on("agent:end", ({ payload }) => expectTypeOf(payload.reason).toEqualTypeOf<string | undefined>());
    bus.on("tool:*", ({ payload }) => {
      expectTypeOf(payload.session).toEqualTypeOf<SessionRef | undefined>();
      expectTypeOf(payload.tool.name).toEqualTypeOf<string>();
    });
    bus.on("myapp:created", ({ payload }) => expectTypeOf(payload).toEqualTypeOf<BasePayload>());
    bus.on("tui:tool.start", ({ payload }) => expectTypeOf(payload.session_id).toEqualTypeOf<string | undefined>());
  });

  it("the value so far, in a transform", () => {
    bus.on("tool:env", ({ value }) => {
      expectTypeOf(value.PATH).toEqualTypeOf<string | undefined>();
      return value;
    });
    bus.on("tool:result", ({ value }) => {
      expectTypeOf(value).toEqualTypeOf<unknown>();
      return value;
    });
  });

  it("id, time, session, signal and the bus", () => {
    bus.on("agent:start", (event) => {
      expectTypeOf(event.id).toEqualTypeOf<string>();
      expectTypeOf(event.at).toEqualTypeOf<number>();
      expectTypeOf(event.session).toEqualTypeOf<SessionRef | undefined>();
      expectTypeOf(event.signal.aborted).toEqualTypeOf<boolean>();
      expectTypeOf(event.bus).toEqualTypeOf<Bus>();
    });
  });

  it("nothing it could change", () => {
    bus.on("tool:before", (event) => {
      // @ts-expect-error use modify
      event.payload.tool.name = "other";
      // @ts-expect-error use modify
      event.payload = { tool: { name: "other", input: {} } };
    });
  });
});

describe("a guard may answer", () => {
  it("nothing, true or false", () => {
    const seen: string[] = [];
    bus.on("tool:before", () => undefined);
    bus.on("tool:before", () => null);
    bus.on("tool:before", () => {});
    bus.on("tool:before", async () => {});
    bus.on("tool:before", () => void seen.push("x"));
    bus.on("tool:before", () => true);
    bus.on("tool:before", async () => false);
    bus.on("tool:before", () => {
      throw new Error("no answer at all");
    });
  });

  it("any outcome its event allows", () => {
    bus.on("tool:before", () => block("no", { endLoop: true }));
    bus.on("tool:before", () => ask());
    bus.on("tool:before", async () => allow());
    bus.on("tool:before", ({ payload }) => modify({ ...payload, tool: { ...payload.tool, input: {} } }));
    bus.on("tool:before", ({ id }) => (id === "" ? block() : inject("text")));
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command?.includes("rm -rf") ? block("no") : undefined));
    bus.on("tool:before", async ({ payload }) => (payload.cwd === "/" ? block("no") : undefined));
    bus.on("finish:before", () => again("the tests fail"));
    bus.on("prompt:submit", async () => inject("text"));
    bus.on("command:reset", () => handled("done"));
    bus.on("permission:asked", () => allow());
  });

  it("a list of them", () => {
    bus.on("tool:before", () => [remind(note), block("no")]);
    bus.on("tool:before", async () => [inject("a"), inject("b")]);
    bus.on("finish:before", () => [again("no"), remind(note)]);
  });

  it("one of the shapes people write by hand", () => {
    bus.on("tool:before", () => ({ decision: "deny", reason: "no" }));
    bus.on("tool:before", async () => ({ decision: "ask" }));
    bus.on("tool:before", ({ id }) => (id === "" ? { decision: "allow" } : undefined));
    bus.on("tool:before", () => ({ block: true, reason: "no" }));
    bus.on("tool:before", () => ({ deny: "no" }));
    bus.on("tool:before", ({ payload }) => ({ modify: { ...payload } }));
    bus.on("tool:before", () => ({ args: { command: "ls" } }));
    bus.on("tool:before", () => ({ inject: "text" }));
    bus.on("tool:before", () => ({ reminder: note, then: { decision: "allow" } }));
    bus.on("tool:before", () => ({ effects: [inject("text"), { deny: "no" }] }));
  });
});

describe("a guard may not answer", () => {
  it("with an outcome its event does not allow", () => {
    // @ts-expect-error finish:before is answered with again
    bus.on("finish:before", () => block("no"));
    // @ts-expect-error a prompt is not asked about
    bus.on("prompt:submit", () => ask("sure?"));
    // @ts-expect-error only finish:before goes on
    bus.on("tool:before", () => again("go on"));
    // @ts-expect-error only a transform has a value
    bus.on("tool:before", () => replace("value"));
    // @ts-expect-error only a command is dealt with
    bus.on("tool:before", () => handled("done"));
    // @ts-expect-error a session cannot be blocked
    bus.on("session:start", () => block("no"));
    // @ts-expect-error workers have no place for a reminder
    bus.on("worker:spawned", () => remind(note));
  });

  it("whatever the spelling", () => {
    // @ts-expect-error Stop is finish:before
    bus.on("Stop", () => block("no"));
    // @ts-expect-error UserPromptSubmit is prompt:submit
    bus.on("UserPromptSubmit", () => ask("sure?"));
    // @ts-expect-error pre_tool_use is tool:before
    bus.on("pre_tool_use", () => again("go on"));
  });

  it("later, in a list or on one path of many", () => {
    // @ts-expect-error finish:before is answered with again
    bus.on("finish:before", async () => block("no"));
    // @ts-expect-error finish:before is answered with again
    bus.on("finish:before", () => [remind(note), block("no")]);
    // @ts-expect-error finish:before is answered with again
    bus.on("finish:before", async () => [block("no")]);
    // @ts-expect-error finish:before is answered with again
    bus.on("finish:before", ({ id }) => (id === "" ? block("no") : undefined));
    // @ts-expect-error finish:before is answered with again
    bus.on("finish:before", async ({ id }) => (id === "" ? block("no") : again()));
  });

  it("with something that is no outcome", () => {
    // @ts-expect-error a number
    bus.on("tool:before", () => 3);
    // @ts-expect-error text is for transforms
    bus.on("tool:before", () => "no");
    // @ts-expect-error text is for transforms
    bus.on("tool:before", async () => "no");
    // @ts-expect-error an unknown word
    bus.on("tool:before", () => ({ decision: "denied" }));
    // @ts-expect-error a misspelled key
    bus.on("tool:before", () => ({ decison: "deny" }));
    // @ts-expect-error a misspelled key beside a right one
    bus.on("tool:before", () => ({ decison: "deny", reason: "no" }));
    // @ts-expect-error an unknown word
    bus.on("tool:before", async () => ({ decision: "denied" }));
  });
});

describe("a transform may answer", () => {
  it("with a value, an outcome or nothing", () => {
    bus.on("tool:env", ({ value }) => ({ ...value, CI: "1" }));
    bus.on("tool:env", async ({ value }) => replace({ ...value, CI: "1" }));
    bus.on("tool:env", () => undefined);
    bus.on("tool:result", () => "text");
    bus.on("tool:result", () => [replace("text"), inject("more")]);
    bus.on("prompt:build", () => inject("text"));
  });

  it("with nothing that cannot be its value", () => {
    // @ts-expect-error an environment is no number
    bus.on("tool:env", () => 3);
    // @ts-expect-error an environment holds text
    bus.on("tool:env", () => ({ CI: 1 }));
    // @ts-expect-error tool:env is not blocked
    bus.on("tool:env", () => block("no"));
    // @ts-expect-error tool:env is not blocked
    bus.on("tool:env", async () => block("no"));
  });
});

describe("an observer", () => {
  it("may return anything, to be collected", () => {
    bus.on("agent:start", () => 3);
    bus.on("agent:start", async () => "text");
    bus.on("tool:after", () => remind(note));
    bus.on("tool:after", () => inject("text"));
  });
});

describe("a handler written apart", () => {
  it("has a type of its own", () => {
    const guard: GateHandler<"tool:before"> = ({ payload }) => (payload.tool.name === "bash" ? block("no") : undefined);
    const shout: TransformHandler<"tool:result"> = ({ value }) => String(value).toUpperCase();
    const watch: ObserveHandler<"agent:end"> = ({ payload }) => payload.reason;
    bus.on("tool:before", guard);
    bus.on("PreToolUse", guard);
    bus.on("tool:result", shout);
    bus.on("agent:end", watch);
    expectTypeOf<ReturnType<typeof block>>().toExtend<GateAnswer<"tool:before">>();
    expectTypeOf<ReturnType<typeof block>>().not.toExtend<GateAnswer<"finish:before">>();
    expectTypeOf<Promise<ReturnType<typeof block>>>().not.toExtend<GateAnswer<"finish:before">>();
  });

  it("serves many events when it asks for no payload in particular", () => {
    const log = (event: HookEvent): void => void event.id;
    bus.on("agent:start", log);
    bus.on("tool:before", log);
    bus.on("tool:result", log);
    bus.on("tool:*", log);
    bus.on("myapp:created", log);
    const deny = (event: HookEvent) => (event.session === undefined ? block("no session") : undefined);
    bus.on("tool:before", deny);
    bus.on("prompt:submit", deny);
  });

  it("serves a name or a pattern known only at run time, with any answer", () => {
    const answer = (event: HookEvent): unknown => (event.name === "tool:before" ? block("no") : undefined);
    for (const name of ["tool:before", "tool:result", "tool:*"].map(String)) {
      bus.on(name, answer, { name: "runtime" });
      bus.on(name, ({ payload, value }) => {
        expectTypeOf(payload).toEqualTypeOf<BasePayload>();
        expectTypeOf(value).toEqualTypeOf<unknown>();
      });
      // @ts-expect-error the event may have no tool
      bus.on(name, (event: HookEvent<"tool:before">) => event.payload.tool.name);
    }
    // @ts-expect-error a name that is known has its own answers
    bus.on("tool:before", answer);
  });

  it("is refused where it needs more than the event has", () => {
    const onStatus = (event: HookEvent<"tool:after">): void => void event.payload.status;
    bus.on("tool:after", onStatus);
    bus.on("PostToolUse", onStatus);
    // @ts-expect-error tool:before has no status
    bus.on("tool:before", onStatus);
    // @ts-expect-error agent:start has no tool
    bus.on("agent:start", onStatus);
  });

  it("may return a plain answer by its type", () => {
    const plain = (): PlainAnswer | undefined => ({ deny: "no" });
    const later = async (): Promise<PlainAnswer> => ({ decision: "ask", reason: "sure?" });
    bus.on("tool:before", plain);
    bus.on("tool:before", later);
    // @ts-expect-error an unknown word
    const wrong: PlainAnswer = { decision: "denied" };
    // @ts-expect-error an unknown key
    const unknown: PlainAnswer = { decision: "deny", resaon: "no" };
    expectTypeOf([wrong, unknown]).toExtend<unknown[]>();
  });
});

describe("a lazy handler", () => {
  it("is one of any kind", () => {
    const handler = lazy(async () => ({ handle: () => block("no") }), "handle");
    bus.on("tool:before", handler, { priority: 1 });
    bus.on("tool:env", handler);
    bus.on("tool:result", handler);
    bus.on("file:edited", handler);
    bus.on("command:reset", handler);
    bus.on("tool:*", handler);
    bus.on("myapp:created", handler);
    bus.setSentinel(handler);
  });

  it("is loaded by a function", () => {
    // @ts-expect-error the module itself
    lazy({ handle: () => block("no") });
    // @ts-expect-error a name is text
    lazy(() => ({ handle: () => block("no") }), 3);
  });
});

describe("the sentinel", () => {
  it("answers like a guard", () => {
    bus.setSentinel(({ payload }) => (payload.session === undefined ? block("no session") : undefined), { onFailure: "closed" });
    bus.setSentinel(null);
    // @ts-expect-error a guard does not go on
    bus.setSentinel(() => again("go on"));
    // @ts-expect-error no function
    bus.setSentinel("block");
  });
});
