import { expect, it } from "vitest";
import { createBus } from "../../bus/bus.js";
import { replace } from "../../catalog/outcomes.js";
import { guardStrands } from "./guard-strands.js";

// The SDK itself is driven by npm run test:sdks.
const strands = {
  BeforeInvocationEvent: class {},
  AfterInvocationEvent: class {},
  BeforeModelCallEvent: class {},
  AfterModelCallEvent: class {},
  ModelStreamUpdateEvent: class {},
  BeforeToolCallEvent: class {},
  AfterToolCallEvent: class {},
  TextBlock: class {
    readonly text: string;
    constructor(text: string) {
      this.text = text;
    }
  },
  ToolResultBlock: class {
    constructor(fields: object) {
      Object.assign(this, fields);
    }
  },
};

it("leaves a call cancelled that a hook before it has cancelled", async () => {
  const bus = createBus();
  const asked: string[] = [];
  bus.on("tool:before", ({ payload }) => void asked.push(payload.tool.name));
  const hooks = new Map<unknown, (event: object) => unknown>();
  guardStrands(bus, strands).initAgent({ addHook: (type, hook) => hooks.set(type, hook) });
  const begin = async (cancel: boolean | string) => {
    const event = { toolUse: { name: "shell", toolUseId: "t1", input: {} }, cancel };
    await hooks.get(strands.BeforeToolCallEvent)?.(event);
    return event.cancel;
  };
  expect(await begin("not by this user")).toBe("not by this user");
  expect(await begin(true)).toBe(true);
  expect(asked).toEqual([]);
  expect(await begin(false)).toBe(false);
  expect(asked).toEqual(["shell"]);
});

it("shows what a failed call says to the hooks of the result", async () => {
  const bus = createBus();
  const recorded: unknown[] = [];
  bus.on("tool:after", ({ payload }) => void recorded.push([payload.status, payload.error]));
  bus.on("tool:result", ({ value }) => replace(JSON.parse(JSON.stringify(value).replace(/key-\d+/, "[key]"))));
  const hooks = new Map<unknown, (event: object) => unknown>();
  guardStrands(bus, strands).initAgent({ addHook: (type, hook) => hooks.set(type, hook) });
  const end = async (content: readonly object[]) => {
    const result = { toolUseId: "t1", status: "error", content };
    const event = { toolUse: { name: "shell", toolUseId: "t1", input: {} }, result };
    await hooks.get(strands.AfterToolCallEvent)?.(event);
    return JSON.stringify(event.result);
  };
  expect(await end([{ text: "no file key-12" }])).toContain("no file [key]");
  expect(await end([{ json: { path: "key-12" } }])).toContain("[key]");
  expect(recorded).toEqual([
    ["error", "no file [key]"],
    ["error", "the tool failed"],
  ]);
});

it("shows a closed guard the fields of the SDK's own blocks, and leaves them alone where it says nothing", async () => {
  const bus = createBus();
  bus.on("tool:result", ({ value }) => (JSON.stringify(value).includes("key-12") ? replace("[hidden]") : undefined), {
    onFailure: "closed",
  });
  const hooks = new Map<unknown, (event: object) => unknown>();
  guardStrands(bus, strands).initAgent({ addHook: (type, hook) => hooks.set(type, hook) });
  class JsonBlock {
    readonly json: unknown;
    constructor(json: unknown) {
      this.json = json;
    }
  }
  const end = async (json: unknown) => {
    const result = { toolUseId: "t1", status: "success", content: [new JsonBlock(json)] };
    const event = { toolUse: { name: "shell", toolUseId: "t1", input: {} }, result };
    await hooks.get(strands.AfterToolCallEvent)?.(event);
    return [event.result === result, JSON.stringify(event.result)];
  };
  expect((await end({ path: "a" }))[0]).toBe(true);
  expect(await end({ path: "key-12" })).toEqual([false, expect.stringContaining("[hidden]")]);
});
