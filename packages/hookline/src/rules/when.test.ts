import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createBus } from "@hookline/core";
import { describe, expect, it, vi } from "vitest";
import { parseConfig } from "../config/load-config.js";
import { linearRegex } from "./linear-regex.js";
import { registerRules } from "./register-rules.js";
import { compileWhen, loadCel } from "./when.js";

const events = ["tool:before"];
const call = (command: string, more: object = {}) => ({ tool: { name: "Bash", input: { command, ...more } }, cwd: "/work" });
const answer = (when: string, payload: unknown = call("rm -rf /tmp/x")) => compileWhen({ when, events }).answer(payload);

describe("when", () => {
  it.each<[string, unknown]>([
    ["tool.name == 'Bash' && tool.input.command.startsWith('rm')", true],
    ["tool.input.command.matches('^rm\\\\s+-rf')", true],
    ["tool.input.command.matches('^ls')", false],
    ["has(tool.input.url) && tool.input.url.contains('x')", false],
    ["commands.exists(c, c.program == 'rm' && c.recursive)", true],
    ["commands.exists(c, c.deletes.exists(d, d.path.matches('^/tmp/')))", true],
    ["commands.all(c, c.program in ['ls', 'cat'])", false],
    ["['a', 'rm'].map(p, tool.input.command.matches(p)).exists(m, m)", true],
    ["size(commands) == 1 ? true : false", true],
  ])("%s is %s", (when, expected) => expect(answer(when)).toBe(expected));

  it.each<[string, number, RegExp]>([
    ["tool.input.", 11, /Expected a name, got the end/],
    ["tool.name.contains('x'", 22, /Expected "\)", got the end/],
    ["tool.inptu.command == 'a'", 0, /Did you mean "tool\.input\.command"/],
    ["tool.name.matchez('a')", 0, /no matching overload/],
    ["tool.name.matches('(?=a)')", 18, /not a regular expression/],
    ["['a'].exists(x, x.matches('['))", 26, /not a regular expression/],
    ["'text'", 0, /gives a string, and must give true or false/],
    ["cel.bind(x, 'a', x == 'a')", 0, /"bind" is not supported/],
    [`${"(".repeat(100)}true${")".repeat(100)}`, 32, /maxDepth/],
    ["true && ".repeat(600), 4_096, /longer than 4096/],
  ])("%s is refused at %i", (when, position, message) => {
    const compile = () => compileWhen({ when, events });
    expect(compile).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH", position, message: expect.stringMatching(message) }));
  });

  it("runs every pattern on the engine that takes linear time, also those in loops and those that the call brings", () => {
    const compiled = vi.spyOn(linearRegex, "compile");
    const native = vi.spyOn(RegExp.prototype, "test");
    const hostile = "(a+)+$";
    const text = `${"a".repeat(25)}!`;
    for (const when of [
      `tool.input.command.matches('${hostile}')`,
      `['${hostile}'].exists(p, tool.input.command.matches(p))`,
      `[tool.input.command].map(t, t.matches('${hostile}'))[0]`,
      "tool.input.command.matches(tool.input.pattern)",
      `true ? tool.input.command.matches('${hostile}') : false`,
      `{'x': tool.input.command.matches('${hostile}')}.x`,
    ]) {
      const test = compileWhen({ when, events });
      compiled.mockClear();
      native.mockClear();
      expect(test.answer(call(text, { pattern: hostile })), when).toBe(false);
      expect(compiled.mock.calls, when).toEqual([[hostile]]);
      expect(native.mock.contexts.filter((regex) => (regex as RegExp).source === hostile)).toEqual([]);
    }
    vi.restoreAllMocks();
  });

  it("refuses work without end before it begins", () => {
    const list = Array.from({ length: 2_000 }, (_, index) => index);
    const twice = "tool.input.list.exists(a, tool.input.list.exists(b, a == b + 5000.0))";
    expect(() => answer(twice, call("x", { list }))).toThrow(/would take more than 1000000 steps/);
    expect(answer(twice, call("x", { list: [1, 2, 3] }))).toBe(false);
    expect(() =>
      answer("tool.input.command.split('').exists(a, tool.input.command.split('').exists(b, a != b))", call("a".repeat(5_000))),
    ).toThrow(/would take more/);
  });

  it("says what to do about a field that is missing", () => {
    expect(() => answer("tool.input.url.contains('x')")).toThrow(
      expect.objectContaining({ message: '"when" failed: No such key: url.', fix: expect.stringContaining("has(tool.input.command)") }),
    );
  });

  it("answers what is not known about a fact that it asks for, and only then", () => {
    const unknown = call('rm -rf "$X"');
    expect(answer("commands.exists(c, c.deletes.exists(d, d.path == '/'))", unknown)).toEqual(expect.stringContaining("X"));
    expect(answer("commands.exists(c, c.program == 'ls' && c.deletes.exists(d, d.path == '/'))", unknown)).toBe(false);
  });

  it("names the package that is missing, and the command that installs it", () => {
    const missing = () => {
      throw new Error("Cannot find module");
    };
    expect(() => loadCel(missing)).toThrow(
      expect.objectContaining({ code: "HL_BAD_RULE", fix: { run: "npm install @marcbachmann/cel-js@8.0.0" } }),
    );
  });
});

describe("a rule with when", () => {
  it("decides, asks about what is not known, and denies when it fails", async () => {
    const bus = createBus({ source: "test", enabled: true, onAsk: "return", onError: () => {} });
    const when = "commands.exists(c, c.deletes.exists(d, d.path == '/tmp/x')) || has(tool.input.bad) && tool.input.worse == 1";
    registerRules(bus, [{ name: "cel", events, do: "block", when, tool: "Bash" }]);
    const verdict = async (payload: ReturnType<typeof call>) => (await bus.decide("tool:before", payload)).verdict;
    expect(await verdict(call("rm /tmp/x"))).toBe("deny");
    expect(await verdict(call("rm /tmp/y"))).toBe("pass");
    expect(await verdict(call("rm $X"))).toBe("ask");
    expect(await verdict(call("ls", { bad: 1 }))).toBe("deny");
  });

  it("is refused at its line in a file", async () => {
    const text = `[[rule]]\nname = "cel"\ndo = "block"\nwhen = "tool.nam == 'a'"\n`;
    const { problems, config } = await parseConfig(text, "/c/hookline.toml");
    expect(problems).toMatchObject([{ line: 4, key: "rule[0].when", message: expect.stringContaining('Did you mean "tool.name"?') }]);
    expect(config?.broken).toMatchObject([{ name: "cel" }]);
  });

  it("loads the package only for rules that use it", () => {
    const code = `
      const { createRequire, default: Module } = await import("node:module");
      const { registerRules } = await import(${JSON.stringify(new URL("../../dist/rules/index.js", import.meta.url).href)});
      const { createBus } = await import("@hookline/core");
      const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("cel-js"));
      const rule = { name: "r", events: ["tool:before"], do: "block" };
      registerRules(createBus({ source: "a" }), [rule]);
      const before = isLoaded();
      registerRules(createBus({ source: "b" }), [{ ...rule, when: "true" }]);
      console.log(before, isLoaded());
    `;
    const cwd = fileURLToPath(new URL("../..", import.meta.url));
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { cwd, encoding: "utf8" });
    expect(stdout).toBe("false true\n");
  });
});
