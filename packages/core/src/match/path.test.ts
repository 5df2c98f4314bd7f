import { describe, expect, it } from "vitest";
import { compilePath } from "./path.js";

const read = (path: string, payload: unknown, value?: unknown) => compilePath(path)(payload, value);

describe("compilePath", () => {
  const payload = { tool: { name: "Bash", input: { command: "ls", list: [{ x: 1 }, "two"] }, output: { lines: 3 } }, target: "src" };

  it.each([
    ["target", "src"],
    ["tool.name", "Bash"],
    ["tool.input.command", "ls"],
    ["tool.input.list.0.x", 1],
    ["tool.input.list.1", "two"],
    ["tool.input.list.length", 2],
    ["tool.input.list.2", undefined],
    ["tool.input.list.-1", undefined],
    ["tool.name.length", undefined],
    ["nothing.here", undefined],
  ])("reads %s", (path, expected) => {
    expect(read(path, payload)).toEqual(expected);
  });

  it("knows the other spellings of a tool's input and output", () => {
    expect(read("tool.args.command", payload)).toBe("ls");
    expect(read("tool.args", payload)).toBe(payload.tool.input);
    expect(read("result", payload)).toBe(payload.tool.output);
    expect(read("result.text", payload)).toBe(payload.tool.output);
    expect(read("result.lines", payload)).toBe(3);
    expect(read("result.text.lines", payload)).toBe(3);
  });

  it("reads the current value of a transform as the output", () => {
    for (const path of ["tool.output", "result", "result.text"]) expect(read(path, payload, "new")).toBe("new");
    expect(read("tool.output.lines", payload, { lines: 9 })).toBe(9);
    expect(read("tool.output.lines", payload, { other: 9 })).toBeUndefined();
    expect(read("tool.output", payload, null)).toBeNull();
    expect(read("tool.input.command", payload, "new")).toBe("ls");
    expect(read("result.text", {}, "")).toBe("");
  });

  it("falls back to what the payload really calls so", () => {
    expect(read("result.status", { result: { status: "ok" } })).toBe("ok");
    expect(read("result.output", { result: { output: "ok" } })).toBe("ok");
    expect(read("tool.args.x", { tool: { args: { x: 1 } } })).toBe(1);
  });

  it("sees members of its own and of its class, and nothing that every object has", () => {
    for (const path of ["__proto__", "constructor", "tool.constructor.name", "tool.__proto__.x", "tool.input.toString"]) {
      expect(read(path, payload)).toBeUndefined();
    }
    expect(read("tool.__proto__.x", JSON.parse('{"tool":{"__proto__":{"x":"data"}}}'))).toBe("data");
    expect(read("tool.name", Object.create(payload))).toBe("Bash");
    expect(read("tool.input.length", { tool: { input: [1] } })).toBe(1);
    expect(read("tool.input.map", { tool: { input: [1] } })).toBeUndefined();
  });

  it("treats a value that is not an object as missing, and throws for what cannot be read", () => {
    const hostile = new Proxy({}, { getOwnPropertyDescriptor: () => raise(), get: () => raise(), has: () => raise() });
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const getter = {
      get tool() {
        return raise();
      },
    };
    for (const given of [null, undefined, 3, "text", () => 0]) {
      expect(read("tool.name", given)).toBeUndefined();
      expect(read("tool.output.x", {}, given)).toBeUndefined();
    }
    for (const given of [hostile, revoked.proxy, getter]) expect(() => read("tool.name", given)).toThrow();
  });

  it.each([
    ["", 0],
    [".a", 0],
    ["a.", 2],
    ["a..b", 2],
    ["*.ts", 0],
    ["src/a.ts", 3],
    ["a b", 1],
  ])("refuses %j at %i", (path, position) => {
    expect(() => compilePath(path)).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH", position }));
  });

  it("takes names of any script, with digits, hyphens, $, @ and _", () => {
    expect(read("größe.x-y.$a.@b._c", { größe: { "x-y": { $a: { "@b": { _c: 1 } } } } })).toBe(1);
  });
});

function raise(): never {
  throw new Error("hostile");
}
