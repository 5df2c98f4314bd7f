import { describe, expect, it } from "vitest";
import { createBus } from "../../bus/bus.js";
import { ask, replace } from "../../catalog/outcomes.js";
import { guardAiSdk } from "./guard-ai-sdk.js";

// The SDK itself is driven by npm run test:sdks. These are the ways of an application that asks its user.
const toolCall = { toolName: "shell", toolCallId: "c1", input: { command: "make deploy" } };

function application() {
  const bus = createBus({ onError: () => {} });
  bus.on("tool:before", () => ask("sure?"), { name: "asks" });
  const replies: unknown[] = [];
  bus.on("permission:replied", ({ payload }) => void replies.push(payload.approval));
  const ran: unknown[] = [];
  const guard = guardAiSdk(bus, { ask: "sdk" });
  const tools = guard.tools({ shell: { execute: (input: object, _options: { toolCallId: string }) => ran.push(input) } });
  return { guard, tools, ran, replies };
}

describe("guardAiSdk with ask: sdk", () => {
  it("hands the question to the application, and runs the call once the SDK does", async () => {
    const { guard, tools, ran, replies } = application();
    expect(await guard.toolApproval({ toolCall })).toEqual({ type: "user-approval", reason: "sure?" });
    await tools.shell.execute(toolCall.input, { toolCallId: "c1" });
    expect(ran).toEqual([{ command: "make deploy" }]);
    expect(replies).toMatchObject([{ verdict: "allow", by: "application" }]);
  });

  it("asks again about another input under the same id, and denies without an approver", async () => {
    const { guard, tools, ran } = application();
    await guard.toolApproval({ toolCall });
    await expect(tools.shell.execute({ command: "rm -rf /" }, { toolCallId: "c1" })).rejects.toThrow("denied");
    expect(ran).toEqual([]);
    guard.close();
  });

  it("does not take the answer about one tool for another with the same id and input", async () => {
    const { guard, ran } = application();
    const { other } = guard.tools({ other: { execute: (input: object, _options: { toolCallId: string }) => ran.push(input) } });
    await guard.toolApproval({ toolCall });
    await expect(other.execute(toolCall.input, { toolCallId: "c1" })).rejects.toThrow("denied");
    expect(ran).toEqual([]);
    guard.close();
  });

  it("denies a call that the application was never asked about", async () => {
    const { tools, ran } = application();
    await expect(tools.shell.execute(toolCall.input, { toolCallId: "c1" })).rejects.toThrow("denied");
    expect(ran).toEqual([]);
  });

  it("close ends the questions, and their calls are denied", async () => {
    const { guard, tools, ran } = application();
    await guard.toolApproval({ toolCall });
    guard.close();
    await expect(tools.shell.execute(toolCall.input, { toolCallId: "c1" })).rejects.toThrow("denied");
    expect(ran).toEqual([]);
  });

  it("shows guards of the result a whole stream, also of a call that was decided before", async () => {
    const bus = createBus();
    bus.on("tool:result", ({ value }) => replace(String(value).replace("key-12", "[key]")));
    const guard = guardAiSdk(bus);
    function* pieces() {
      yield "a ke";
      yield "y-12";
    }
    const { read } = guard.tools({ read: { execute: (_input: object, _options: { toolCallId: string }) => pieces() as unknown } });
    await guard.toolApproval({ toolCall: { toolName: "read", toolCallId: "c1", input: {} } });
    expect(await read.execute({}, { toolCallId: "c1" })).toBe("a [key]");
    expect(await read.execute({}, { toolCallId: "c2" })).toBe("a [key]");
  });

  it("denies a rewrite of a tool that is not wrapped", async () => {
    const bus = createBus();
    bus.on("tool:before", ({ payload }) => ({ modify: { ...payload, tool: { ...payload.tool, input: {} } } }), { stage: "rewrite" });
    expect(await guardAiSdk(bus).toolApproval({ toolCall })).toMatchObject({ type: "denied" });
  });
});
