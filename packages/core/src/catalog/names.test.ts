import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reportingBus } from "../../../../test/support/reporting-bus.js";
import { createBus } from "../bus/bus.js";
import { compileEventFilter } from "../sinks/connect/event-filter.js";
import { HookError } from "./errors.js";
import { catalog, customEvent, type EventSpec, families, familyAliases } from "./events.js";
import { findEvent, isPattern, patternMatches, permissionsOf, resolveEvent, spelledOut, spellingsOf } from "./names.js";
import { block } from "./outcomes.js";

const specs: { readonly [name: string]: EventSpec } = catalog;
const names = Object.keys(catalog);
const pascalOf = (name: string): string => name.replace(/(?:^|:)([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeOf = (name: string): string => name.replace(":", "_");

describe("a catalogue event is found", () => {
  for (const name of names)
    it(`by every spelling of ${name}`, () => {
      const spellings = [name, pascalOf(name), snakeOf(name), ...(specs[name]?.aliases ?? [])];
      const found = spellings.map((spelling) => [spelling, findEvent(spelling)?.name]);
      expect(found).toEqual(spellings.map((spelling) => [spelling, name]));
      expect(findEvent(name)?.spec).toBe(specs[name]);
    });

  it("by its aliases in PascalCase and in snake_case too", () => {
    const written: [string, string][] = [
      ["pre_tool_use", "tool:before"],
      ["PreToolCall", "tool:before"],
      ["post_tool_use_failure", "tool:after"],
      ["on_budget_threshold", "budget:threshold"],
      ["OnSessionFinalize", "session:end"],
      ["OnSessionEnd", "turn:end"],
      ["on_session_end", "turn:end"],
      ["session_end", "session:end"],
      ["UserPromptSubmitted", "prompt:submit"],
      ["user_prompt_submitted", "prompt:submit"],
      ["worker_waiting_for_input", "worker:waiting"],
      ["message_pre_route", "message:route"],
      ["MessagePreRoute", "message:route"],
      ["thinking_delta", "reasoning:delta"],
      ["ThinkingDelta", "reasoning:delta"],
      ["stop", "finish:before"],
      ["Error", "session:error"],
      ["notification", "notification:sent"],
      ["session_compress", "compact:after"],
    ];
    expect(written.map(([spelling]) => [spelling, findEvent(spelling)?.name])).toEqual(written);
  });

  it("under one name, whatever the spelling", () => {
    const owners = new Map<string, string>();
    for (const name of names)
      for (const spelling of spellingsOf(name)) {
        expect([spelling, owners.get(spelling)]).toEqual([spelling, undefined]);
        owners.set(spelling, name);
        expect(resolveEvent(spelling).name).toBe(name);
      }
  });

  it("whose canonical name comes first among its spellings", () => {
    expect(names.map((name) => spellingsOf(name)[0])).toEqual(names);
    expect(spellingsOf("tool:before")).toEqual(expect.arrayContaining(["ToolBefore", "tool_before", "PreToolUse", "pre_tool_use"]));
    expect(spellingsOf("myapp:deployed")).toEqual([]);
  });
});

describe("a name with spaces around it", () => {
  it("is the name", () => {
    for (const name of ["tool:before ", " tool:before", "\tPreToolUse\n"]) expect(findEvent(name)?.name).toBe("tool:before");
    expect(findEvent(" myapp:x\n")?.name).toBe("myapp:x");
  });
});

describe("another runtime's name for an event of a family", () => {
  it("is that event", () => {
    for (const [alias, name] of Object.entries(familyAliases)) {
      expect(spelledOut(` ${alias} `)).toBe(name);
      expect([alias, findEvent(alias)?.name, isPattern(spelledOut(alias))]).toEqual([alias, name, name.endsWith("*")]);
    }
    expect(findEvent(" pre_command")).toEqual({ name: "command:*", spec: families.command });
  });

  it("that stands for a pattern takes every command, on a bus and in a filter", async () => {
    const bus = createBus();
    bus.on("pre_command", ({ name }) => block(name));
    expect(bus.list().map(({ event }) => event)).toEqual(["command:*"]);
    expect(await bus.decide("command:reset", {})).toMatchObject({ verdict: "deny", reason: "command:reset" });
    expect(compileEventFilter("pre_command")("command:reset")).toBe(true);
  });

  it("that stands for a pattern is not sent: it names no command", async () => {
    const { bus, codes } = reportingBus();
    bus.on("command:*", () => block("no"));
    await bus.emit("pre_command");
    expect(codes()).toEqual(["HL_UNKNOWN_EVENT"]);
    expect(errorOf(() => bus.decide("pre_command" as "command:x", {})).message).toContain('name one, such as "command:deploy"');
  });
});

describe("an unknown name", () => {
  const suggested: [string, string][] = [
    ["tool:befor", "tool:before"],
    ["tool:Before", "tool:before"],
    ["tool:beforre", "tool:before"],
    ["PreToolUs", "PreToolUse"],
    ["pretooluse", "PreToolUse"],
    ["session:strat", "session:start"],
    ["finish:unsetled", "finish:unsettled"],
    ["tool_befor", "tool_before"],
  ];
  for (const [wrong, meant] of suggested)
    it(`is an error that asks whether ${wrong} was meant to be ${meant}`, () => {
      expect(findEvent(wrong)).toBeUndefined();
      const error = errorOf(() => resolveEvent(wrong));
      expect(error).toMatchObject({ code: "HL_UNKNOWN_EVENT", event: wrong });
      expect(error.message).toContain(`"${wrong}"`);
      expect(error.message).toContain(`Did you mean "${meant}"?`);
    });

  it("that resembles nothing gets no guess, but the way out", () => {
    const { message } = errorOf(() => resolveEvent("quetzalcoatl"));
    expect(message).not.toContain("Did you mean");
    expect(message).toContain('"myapp:deployed"');
  });

  const hostile = ["", " ", "*", ":", "tool:", ":x", "::", "tool::before", "a:", "a::b", "tool:be fore"];
  const stranger = ["__proto__:x", "__proto__", "constructor", "toString", "tool:__proto__", "tool:constructor", "tool:before:x", "tool:*"];
  const encoded = ["tool:before\0", "tool\0:before", "my\0app:x", "myapp:\0", "myapp:\u0085", "mÿapp:x", "tool:befоre", "日本:x"];
  for (const name of [...hostile, ...stranger, ...encoded])
    it(`is not an event, and throws a coded error: ${JSON.stringify(name)}`, () => {
      expect(findEvent(name)).toBeUndefined();
      expect(errorOf(() => resolveEvent(name)).code).toBe("HL_UNKNOWN_EVENT");
    });

  for (const value of [undefined, null, 3, {}, [], Symbol("x"), () => "tool:before", new String("tool:before")])
    it(`of type ${typeof value} throws a coded error`, () => {
      expect(findEvent(value as string)).toBeUndefined();
      expect(errorOf(() => resolveEvent(value as string)).code).toBe("HL_UNKNOWN_EVENT");
    });

  it("of ten thousand characters is not repeated in full", () => {
    for (const name of [`tool:${"x".repeat(10_000)}`, "x".repeat(10_000), `${"é".repeat(10_000)}:x`, ":".repeat(10_000)]) {
      expect(findEvent(name)).toBeUndefined();
      expect(errorOf(() => resolveEvent(name)).message.length).toBeLessThan(300);
    }
  });

  it("never breaks the look-up, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const found = findEvent(text);
        if (found === undefined) expect(errorOf(() => resolveEvent(text)).code).toBe("HL_UNKNOWN_EVENT");
        else expect(resolveEvent(text)).toEqual(found);
      }),
    );
  });
});

describe("a name outside the known namespaces", () => {
  const custom = [
    "myapp:deployed",
    "a:b",
    "a:b:c",
    "my-app:x",
    "my.app_2:x.y-z",
    "constructor:y",
    "toString:x",
    "hasOwnProperty:z",
    "x:日本",
  ];
  for (const name of custom)
    it(`is a custom event: ${name}`, () => {
      expect(findEvent(name)).toEqual({ name, spec: customEvent });
      expect(resolveEvent(name).spec.permission).toBe("custom.observe");
    });

  it("may be long", () => {
    const name = `myapp:${"x".repeat(10_000)}`;
    expect(findEvent(name)).toEqual({ name, spec: customEvent });
  });
});

describe("a name in a family", () => {
  for (const [namespace, spec] of Object.entries(families))
    it(`is an event: ${namespace}:anything`, () => {
      expect(findEvent(`${namespace}:anything`)).toEqual({ name: `${namespace}:anything`, spec });
      expect(findEvent(`${namespace}:two:parts`)).toEqual({ name: `${namespace}:two:parts`, spec });
      expect([findEvent(namespace), findEvent(`${namespace}:`), findEvent(`${namespace}:a b`)]).toEqual([undefined, undefined, undefined]);
    });

  it("is bulk when the UI streams it, and normal otherwise", () => {
    const classOf = (name: string) => findEvent(name)?.spec.class;
    for (const name of ["tui:message.delta", "tui:tool.progress", "tui:a.b.delta"]) expect([name, classOf(name)]).toEqual([name, "bulk"]);
    for (const name of [
      "tui:tool.start",
      "tui:delta",
      "tui:progress",
      "tui:x.deltas",
      "tui:message.delta.end",
      "mcp:x.delta",
      "command:x.progress",
    ])
      expect([name, classOf(name)]).toEqual([name, "normal"]);
    expect(findEvent("tui:message.delta")?.spec).toMatchObject({ kind: "observe", permission: "ui.observe", category: "ui" });
  });
});

describe("a pattern", () => {
  it("matches one namespace, or everything", () => {
    expect(names.filter((name) => patternMatches("tool:*", name))).toEqual(names.filter((name) => name.startsWith("tool:")));
    expect(names.filter((name) => patternMatches("*", name))).toEqual(names);
    expect(patternMatches("turn:*", "turnover:x")).toBe(false);
    expect(patternMatches("myapp:*", "myapp:deployed")).toBe(true);
  });

  it("never crosses a colon", () => {
    expect(patternMatches("a:*", "a:b:c")).toBe(false);
    expect(patternMatches("a:b:*", "a:b:c")).toBe(true);
    expect(patternMatches("a:b:*", "a:b")).toBe(false);
    expect(patternMatches("a:b:*", "a:b:c:d")).toBe(false);
    expect(patternMatches("*", "a:b:c")).toBe(true);
  });

  it("is told from a name", () => {
    for (const text of ["*", "tool:*", "myapp:*", "a:b:*", "constructor:*"]) expect([text, isPattern(text)]).toEqual([text, true]);
    for (const text of ["tool:before", "PreToolUse", "", "a:b:c"]) expect([text, isPattern(text)]).toEqual([text, false]);
    expect(isPattern(undefined as unknown as string)).toBe(false);
  });

  const wrong = [
    "**",
    "tool*",
    "tool:**",
    "tool:b*",
    "tool:*x",
    "*:before",
    "*:*",
    ":*",
    "tool:*:x",
    "a:*:*",
    "__proto__:*",
    "tool :*",
    "*\0",
    "a\0:*",
  ];
  for (const text of wrong)
    it(`is refused with the way out when it is neither: ${JSON.stringify(text)}`, () => {
      const error = errorOf(() => isPattern(text));
      expect(error).toMatchObject({ code: "HL_BAD_PATTERN", event: text });
      expect(error.message).toContain("namespace:*");
    });
});

describe("the permissions of a pattern", () => {
  const wanted: [string, string[]][] = [
    ["tool:*", ["tools.intercept", "tools.observe", "tools.transform"]],
    ["session:*", ["session.lifecycle"]],
    ["permission:*", ["permissions.decide", "permissions.observe"]],
    ["worker:*", ["workers.lifecycle"]],
    ["prompt:*", ["llm.content"]],
    ["command:*", ["commands.intercept"]],
    ["tui:*", ["ui.observe"]],
    ["mcp:*", ["mcp.observe"]],
    ["myapp:*", ["custom.observe"]],
    ["constructor:*", ["custom.observe"]],
    ["a:b:*", ["custom.observe"]],
  ];
  for (const [pattern, permissions] of wanted)
    it(`${pattern} are ${permissions.join(", ")}`, () => {
      expect(permissionsOf(pattern).sort()).toEqual(permissions);
    });

  it("* are all there are", () => {
    const all = [...Object.values(catalog), ...Object.values(families), customEvent].map(({ permission }) => permission);
    expect(permissionsOf("*").sort()).toEqual([...new Set(all)].sort());
  });

  it("namespace:part:* are those of the family whose names have parts", () => {
    const patterns = Object.keys(families).map((namespace) => `${namespace}:part:*`);
    const found = patterns.map((pattern) => [pattern, permissionsOf(pattern)]);
    expect(found).toEqual(Object.entries(families).map(([namespace, { permission }]) => [`${namespace}:part:*`, [permission]]));
  });

  it("cover every event the pattern matches", () => {
    const known = [...names, ...Object.keys(families).flatMap((family) => [`${family}:x`, `${family}:x:y`]), "myapp:x", "myapp:x:y"];
    const patterns = ["*", ...new Set(known.map((name) => `${name.slice(0, name.lastIndexOf(":"))}:*`))];
    for (const pattern of patterns)
      for (const name of known.filter((candidate) => patternMatches(pattern, candidate)))
        expect([pattern, name, permissionsOf(pattern)]).toEqual([
          pattern,
          name,
          expect.arrayContaining([findEvent(name)?.spec.permission]),
        ]);
  });
});

function errorOf(run: () => unknown): HookError {
  try {
    run();
  } catch (error) {
    if (error instanceof HookError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
