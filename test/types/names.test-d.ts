import {
  type BasePayload,
  type CatalogName,
  type Category,
  catalog,
  createBus,
  createEventQueue,
  type EventName,
  type EventSpec,
  type GateName,
  type PayloadOf,
  type ToolPayload,
  type TransformName,
} from "@hookline/core";
import { describe, expectTypeOf, it } from "vitest";

const bus = createBus();
const ignore = () => undefined;

describe("a misspelled name in a known namespace is refused", () => {
  it("by every method that takes a name", () => {
    // @ts-expect-error tool:before was meant
    bus.on("tool:befor", ignore);
    // @ts-expect-error tool:before was meant
    bus.emit("tool:befor");
    // @ts-expect-error tool:before was meant
    bus.emitSync("tool:befor");
    // @ts-expect-error tool:before was meant
    bus.collect("tool:befor");
    // @ts-expect-error tool:before was meant
    bus.decide("tool:befor");
    // @ts-expect-error tool:result was meant
    bus.transform("tool:resul", "text");
    // @ts-expect-error tool:before was meant
    bus.event("tool:befor");
    // @ts-expect-error file:edited was meant
    createEventQueue(bus).push("file:edit");
  });

  it("also when it is an alias or has no namespace at all", () => {
    // @ts-expect-error PreToolUse was meant
    bus.on("PreToolUs", ignore);
    // @ts-expect-error a name needs a namespace
    bus.on("deployed", ignore);
    // @ts-expect-error nothing
    bus.on("", ignore);
  });

  it("and so is a pattern that is none", () => {
    // @ts-expect-error narrow with match
    bus.on("tool:b*", ignore);
    // @ts-expect-error narrow with match
    bus.on("tool*", ignore);
  });
});

describe("every other name is taken", () => {
  it("a custom event, and one in a family", () => {
    bus.on("myapp:created", ignore);
    bus.emit("myapp:created", { anything: 1 });
    bus.emitSync("myapp:created");
    bus.event("myapp:created").emit({ anything: 1 });
    bus.on("tui:tool.start", ignore);
    bus.on("mcp:connected", ignore);
    bus.decide("command:reset", {});
    createEventQueue(bus).push("myapp:created", { anything: 1 });
  });

  it("a pattern", () => {
    bus.on("*", ignore);
    bus.on("tool:*", ignore);
    bus.on("myapp:*", ignore);
  });

  it("a name known only at run time", () => {
    const name = String("tool:after");
    bus.on(name, ignore);
    bus.emit(name, { anything: 1 });
    bus.emitSync(name);
    bus.collect(name);
    bus.event(name).emit();
    bus.has(name);
    bus.count(name);
  });

  it("every name of the catalogue", () => {
    expectTypeOf<CatalogName>().toExtend<EventName>();
    expectTypeOf<"tool:before" | "prompt:submit" | "command:reset">().toExtend<GateName>();
    expectTypeOf<"tool:result" | "prompt:build" | "tool:env">().toExtend<TransformName>();
    expectTypeOf<"tool:after">().not.toExtend<GateName>();
    expectTypeOf<"tool:after">().not.toExtend<TransformName>();
    expectTypeOf(catalog["tool:before"]).toExtend<EventSpec>();
    expectTypeOf(catalog["tool:before"].kind).toEqualTypeOf<"gate">();
    expectTypeOf(catalog["tool:before"].category).toExtend<Category>();
  });
});

describe("any spelling has the payload of the event it names", () => {
  it("canonical, PascalCase, snake_case and alias", () => {
    expectTypeOf<PayloadOf<"tool:before">>().toEqualTypeOf<ToolPayload>();
    expectTypeOf<PayloadOf<"ToolBefore">>().toEqualTypeOf<ToolPayload>();
    expectTypeOf<PayloadOf<"tool_before">>().toEqualTypeOf<ToolPayload>();
    expectTypeOf<PayloadOf<"PreToolUse">>().toEqualTypeOf<ToolPayload>();
    expectTypeOf<PayloadOf<"before_tool_call">>().toEqualTypeOf<ToolPayload>();
    expectTypeOf<PayloadOf<"pre_tool_use">>().toEqualTypeOf<ToolPayload>();
    expectTypeOf<PayloadOf<"preToolUse">>().toEqualTypeOf<ToolPayload>();
    expectTypeOf<PayloadOf<"PostToolUse">>().toEqualTypeOf<PayloadOf<"tool:after">>();
    expectTypeOf<PayloadOf<"tool.progress">>().toEqualTypeOf<PayloadOf<"tool:progress">>();
    expectTypeOf<PayloadOf<"AgentLoopEnd">>().toEqualTypeOf<PayloadOf<"agent:end">>();
  });

  it("and the plain one where the catalogue says no more", () => {
    expectTypeOf<PayloadOf<"session:start">>().toEqualTypeOf<BasePayload>();
    expectTypeOf<PayloadOf<"myapp:created">>().toEqualTypeOf<BasePayload>();
    expectTypeOf<PayloadOf<"command:reset">>().toEqualTypeOf<BasePayload>();
    expectTypeOf<PayloadOf<string>>().toEqualTypeOf<BasePayload>();
    expectTypeOf<PayloadOf<"tui:tool.start">["session_id"]>().toEqualTypeOf<string | undefined>();
  });

  it("in handlers and calls alike", () => {
    bus.on("PreToolUse", (event) => expectTypeOf(event.payload).toEqualTypeOf<ToolPayload>());
    bus.on("tool_before", (event) => expectTypeOf(event.payload).toEqualTypeOf<ToolPayload>());
    bus.on("ToolBefore", (event) => expectTypeOf(event.payload).toEqualTypeOf<ToolPayload>());
    // @ts-expect-error no tool
    bus.decide("PreToolUse", {});
    // @ts-expect-error no status
    bus.emit("PostToolUse", { tool: { name: "bash", input: {} } });
    // @ts-expect-error no such status
    bus.emit("PostToolUse", { tool: { name: "bash", input: {} }, status: "done" });
    bus.emit("PostToolUse", { tool: { name: "bash", input: {} }, status: "ok" });
  });
});
