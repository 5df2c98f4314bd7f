import { createBus, type ToolPayload } from "@hookline/core";
import { expect, it } from "vitest";
import { Prefilter } from "../forward/prefilter.js";
import { faultOfName } from "./tool-name.js";

const alike: readonly [string, string][] = [
  ["a zero-width space", "Ba\u200bsh"],
  ["a soft hyphen", "Ba\u00adsh"],
  ["a variation selector", "Bash\ufe0f"],
  ["a mark that turns text", "\u202eBash"],
  ["a Hangul filler", "Bash\u3164"],
  ["a tag character", "Bash\u{e0041}"],
  ["half of a pair", "Bash\ud800"],
  ["NUL", "Bash\0"],
  ["a line feed", "Bash\n"],
  ["a space behind", "Bash "],
  ["a space before", " Bash"],
  ["a space without a break", "Bash\u00a0"],
  ["a byte order mark", "\ufeffBash"],
  ["letters of full width", "\uff22\uff41\uff53\uff48"],
  ["one letter of full width", "B\uff41sh"],
  ["letters of mathematics", "\u{1d401}ash"],
  ["a Kelvin sign", "\u212aill"],
  ["a ligature", "pro\ufb01le"],
];
const others = [
  "Bash",
  "bash",
  "mcp__fs__read",
  "Read File",
  "server.tool:v1/x",
  "\u691c\u7d22",
  "caf\u00e9",
  "cafe\u0301",
  "\u0412ash",
  "\u{1f680}",
  "",
];

const call = (name: string): ToolPayload => ({ tool: { name, input: { command: "rm" } } });

it.each(alike)("a guard of Bash is not passed by a name with %s, whatever way the guard says it", async (_, name) => {
  for (const prepare of [
    { match: "tool.name == 'Bash'" },
    { tool: "Bash" },
    { match: (({ tool }: ToolPayload) => tool.name === "Bash") as never },
    { match: "tool.name =~ ^Bash$" },
  ]) {
    const bus = createBus({ onFailure: "open", onError: () => {} });
    bus.on("tool:before", () => ({ decision: "deny" as const }), prepare);
    for (const payload of [call(name), { tool: { ...call("x").tool, runtimeName: name } }])
      expect(await bus.decide("tool:before", payload)).toMatchObject({ verdict: "deny", cause: { code: "HL_BAD_PAYLOAD" } });
    let isRun = false;
    const { status } = await bus.runTool(call(name), () => {
      isRun = true;
    });
    expect([status, isRun]).toEqual(["blocked", false]);
  }
});

it("other names are names, in any alphabet", async () => {
  const bus = createBus();
  bus.on("tool:before", () => undefined);
  for (const name of others) {
    expect([name, faultOfName(name)]).toEqual([name, undefined]);
    expect(await bus.decide("tool:before", call(name))).toMatchObject({ verdict: "pass" });
  }
});

it("a lease covers no name that the hub would refuse", () => {
  const prefilter = new Prefilter({ version: "1", gates: { "tool:before": [] }, shell: { tools: ["bash"], fields: [] } });
  const passes = (name: string): boolean => prefilter.passes({ name: "tool:before", payload: { tool: { name, input: {} } } as never });
  expect(alike.filter(([, name]) => passes(name))).toEqual([]);
  expect(others.filter((name) => !passes(name))).toEqual(["Bash", "bash"]);
});
