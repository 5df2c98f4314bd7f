import { describe, expect, it } from "vitest";
import { createBus } from "../../bus/bus.js";
import { block, modify, replace } from "../../catalog/outcomes.js";
import { guardTools } from "./guard-tools.js";

const noRm = ({ payload }: { readonly payload: { readonly tool: { readonly input: { readonly command?: string } } } }) =>
  payload.tool.input.command?.startsWith("rm") ? block("no deleting") : undefined;

describe("guardTools", () => {
  it("runs a tool between its hooks, with its own further arguments", async () => {
    const bus = createBus();
    const seen: unknown[] = [];
    bus.on("tool:before", ({ payload }) => void seen.push(payload.tool.name, payload.tool.callId, payload.session?.id));
    bus.on("tool:after", ({ payload }) => void seen.push(payload.status, payload.tool.output));
    const shell = {
      description: "d",
      execute: async ({ command }: { command: string }, { toolCallId }: { toolCallId: string }) => `${toolCallId}: ${command}`,
    };
    const tools = guardTools(bus, { shell }, { session: { id: "s1" } });
    expect(await tools.shell.execute({ command: "ls" }, { toolCallId: "c1" })).toBe("c1: ls");
    expect(tools.shell.description).toBe("d");
    expect(seen).toEqual(["shell", "c1", "s1", "ok", "c1: ls"]);
  });

  it("throws for a denied call, and for a guard that throws, without running the tool", async () => {
    const bus = createBus({ onError: () => {} });
    let runs = 0;
    const tools = guardTools(bus, { shell: { execute: (_input: { command: string }) => ++runs } });
    bus.on("tool:before", noRm, { name: "no-rm" });
    await expect(tools.shell.execute({ command: "rm x" })).rejects.toThrow("This call was denied: no deleting.");
    bus.on("tool:before", () => {
      throw new Error("broken");
    });
    await expect(tools.shell.execute({ command: "ls" })).rejects.toThrow("denied");
    expect(runs).toBe(0);
  });

  it("decides on each of two calls with one id, at once and one after the other", async () => {
    const bus = createBus();
    const ran: string[] = [];
    bus.on("tool:before", noRm);
    const tools = guardTools(bus, { shell: { execute: async ({ command }: { command: string }, _: object) => void ran.push(command) } });
    const call = (command: string) => tools.shell.execute({ command }, { toolCallId: "c1" });
    const atOnce = await Promise.allSettled([call("ls"), call("rm x")]);
    expect(atOnce.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await expect(call("rm y")).rejects.toThrow("no deleting");
    await call("pwd");
    expect(ran).toEqual(["ls", "pwd"]);
  });

  it("shows what a tool throws to the hooks of the result, and withholds it if one fails", async () => {
    const bus = createBus({ onError: () => {} });
    const recorded: unknown[] = [];
    bus.on("tool:after", ({ payload }) => void recorded.push([payload.status, payload.error]));
    const thrown = new RangeError("no file key-12");
    const fail = () => {
      throw thrown;
    };
    const tools = guardTools(bus, { shell: { execute: fail as () => string } });
    await expect(tools.shell.execute()).rejects.toBe(thrown);
    const off = bus.on("tool:result", ({ value }) => replace(String(value).replace(/key-\d+/, "[key]")));
    await expect(tools.shell.execute()).rejects.toThrow(/^no file \[key\]$/);
    off();
    bus.on("tool:result", fail, { name: "hides", onFailure: "closed" });
    await expect(tools.shell.execute()).rejects.toThrow(/^\[withheld: "hides" failed/);
    expect(JSON.stringify(recorded.slice(1))).not.toContain("key-12");
    expect(recorded.map((one) => (one as [string])[0])).toEqual(["error", "error", "error"]);
  });

  it("shows an object that a tool throws to the hooks of the result as SDKs show it to the model", async () => {
    const bus = createBus({ onError: () => {} });
    bus.on("tool:result", ({ value }) => replace(String(value).replace(/key-\d+/, "[key]")));
    for (const thrown of [{ response: { body: "key-12" } }, { message: "no file", body: "key-12" }]) {
      const tools = guardTools(bus, { shell: { execute: (): Promise<string> => Promise.reject(thrown) } });
      const error: unknown = await tools.shell.execute().catch((caught: unknown) => caught);
      expect(error).toMatchObject({ message: expect.stringContaining("[key]") });
      expect(JSON.stringify(error)).not.toContain("key-12");
    }
  });

  it("gives the tool what hooks rewrote, and the caller what hooks replaced", async () => {
    const bus = createBus();
    const upper = ({ payload }: { readonly payload: { readonly tool: { readonly name: string; readonly input: object } } }) =>
      modify({ ...payload, tool: { ...payload.tool, input: { command: "LS" } } });
    bus.on("tool:before", upper, { stage: "rewrite" });
    bus.on("tool:result", ({ payload }) => replace(`<${String(payload.tool.output)}>`));
    const tools = guardTools(bus, { shell: { execute: ({ command }: { command: string }) => command } });
    expect(await tools.shell.execute({ command: "ls" })).toBe("<LS>");
  });

  it("shows guards an input that is not an object as a field, and gives the tool the value itself", async () => {
    const bus = createBus();
    const seen: unknown[] = [];
    bus.on("tool:before", ({ payload }) => void seen.push(payload.tool.input));
    const tools = guardTools(bus, { echo: { execute: (text: string) => text } });
    expect(await tools.echo.execute("hi")).toBe("hi");
    expect(seen).toEqual([{ value: "hi" }]);
  });

  it("collects what a tool yields, so that guards of the result see it whole", async () => {
    const bus = createBus();
    bus.on("tool:result", ({ payload }) => replace(`<${String(payload.tool.output)}>`));
    async function* execute(_input: object) {
      yield "a";
      yield "ab";
    }
    expect(await guardTools(bus, { stream: { execute } }).stream.execute({})).toBe("<ab>");
  });

  it("collects all of a stream, and shows guards of the result what it throws", async () => {
    const bus = createBus();
    const streamOf = (chunks: readonly string[], error?: Error) =>
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          if (error === undefined) controller.close();
          else controller.error(error);
        },
      });
    bus.on("tool:result", ({ value }) => replace(String(value).replace(/key-\d+/, "[key]")), { onFailure: "closed" });
    const failing = () => streamOf([], new Error("no file key-12"));
    const tools = guardTools(bus, { fetch: { execute: () => streamOf(["a ke", "y-12!"]) }, failing: { execute: failing } });
    expect(await tools.fetch.execute()).toBe("a [key]!");
    await expect(tools.failing.execute()).rejects.toThrow(/^no file \[key\]$/);
  });

  it("passes on what a tool throws, and keeps tools that something else runs", async () => {
    const failing = () => {
      throw new TypeError("no such file");
    };
    const bare: { execute?: (input: object) => unknown } = {};
    const tools = guardTools(createBus(), { read: { execute: (_input: object) => failing() }, bare });
    await expect(Promise.resolve(tools.read.execute({}))).rejects.toThrow(TypeError);
    expect(tools.bare).toBe(bare);
  });
});
