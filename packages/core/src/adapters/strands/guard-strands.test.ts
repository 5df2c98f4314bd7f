import { expect, it } from "vitest";
import { createBus } from "../../bus/bus.js";
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
  TextBlock: class {},
  ToolResultBlock: class {},
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
