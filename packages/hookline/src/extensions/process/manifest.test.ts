import { describe, expect, it } from "vitest";
import { formatProblem } from "../../config/problem.js";
import { parseExtensionManifest, readExtensionManifest } from "./manifest.js";
import { programOf } from "./manifest-program.js";

const good = {
  protocol: 1,
  name: "guard",
  command: "node",
  args: ["guard.mjs"],
  permissions: ["tools.intercept"],
  hooks: [
    {
      event: "PreToolUse",
      match: "tool.name == 'bash'",
      tool: ["bash"],
      priority: 5,
      stage: "guard",
      timeoutMs: "2s",
      onFailure: "closed",
    },
  ],
};
const parse = (manifest: unknown) => parseExtensionManifest(JSON.stringify(manifest, undefined, 2), "/x/extension.json");
const problemsOf = (manifest: unknown) => parse(manifest).problems.map(formatProblem);

describe("extension.json", () => {
  it("is read with its defaults", () => {
    expect(parse(good)).toEqual({
      problems: [],
      remarks: [],
      broken: [],
      manifest: {
        ...good,
        file: "/x/extension.json",
        folder: "/x",
        enabled: true,
        env: [],
        config: {},
        hooks: [{ ...good.hooks[0], timeoutMs: 2_000 }],
      },
    });
  });

  it("means the end of the session by on_session_end, as synaps does, and says so", () => {
    const hooks = [{ event: "before_tool_call" }, { event: "on_session_end" }, { event: "session:end", name: "mine" }];
    const { manifest, problems, remarks } = parse({ ...good, hooks });
    expect(problems).toEqual([]);
    expect(manifest?.hooks.map(({ event }) => event)).toEqual(["before_tool_call", "session:end", "session:end"]);
    expect(remarks.map(formatProblem)).toEqual([
      expect.stringMatching(
        /^\/x\/extension\.json:\d+:\d+: hooks\[1\]\.event: "on_session_end" is session:end here: in synaps.*"turn:end"\.$/,
      ),
    ]);
  });

  it("with an unknown key or a value of the wrong type is refused with its position", () => {
    expect(problemsOf({ ...good, comand: "x" })[0]).toMatch(
      /^\/x\/extension\.json:\d+:3: comand: "comand" is not known here\. Did you mean "command"\?/,
    );
    expect(problemsOf({ ...good, protocol: 2 })).toEqual([
      '/x/extension.json:2:3: protocol: "protocol" must be 1, the protocol version of Hookline, not 2.',
    ]);
    expect(problemsOf({ ...good, permissions: ["tools.intercept", "tools.observ"] })[0]).toContain(
      `"permissions" has 'tools.observ', which is not a permission. Did you mean "tools.observe"?`,
    );
    expect(problemsOf({ ...good, hooks: [{ event: "tool:before", match: "tool.inputs.command =~ rm" }] })[0]).toMatch(
      /^\/x\/extension\.json:\d+:\d+: hooks\[0\]\.match: "match" is wrong at character 1: .* Did you mean "tool\.input\.command"\?$/,
    );
    for (const [key, value] of Object.entries({
      name: "a b",
      command: 3,
      args: "x",
      env: ["A-B"],
      hooks: [],
      framing: "lines",
      config: [],
      enabled: "no",
    })) {
      const { manifest, problems } = parse({ ...good, [key]: value });
      expect(manifest, key).toBeUndefined();
      expect(problems[0]?.key, key).toContain(key);
    }
  });

  it("loses a hook that is wrong, and that alone", () => {
    const hooks = [
      { event: "tool:befor" },
      { event: "tool:before", match: "tool.name ==" },
      { event: "tool:*", onFailure: "closed", stage: "observe" },
      3,
    ];
    const { manifest, problems } = parse({ ...good, hooks: [...hooks, { event: "session:end" }] });
    expect(manifest?.hooks).toEqual([{ event: "session:end" }]);
    expect(problems.map(({ key }) => key)).toEqual(["hooks[0].event", "hooks[1].match", "hooks[2].onFailure", "hooks[3]"]);
    expect(problems[0]?.message).toContain("tool:before");
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    "3",
    '{"protocol":1}',
    "\u0000",
    "{".repeat(50_000),
    "[".repeat(60_000),
    `{"name":"${"x".repeat(70_000)}"}`,
  ])("that is %.20j is a problem and no more", (text) => {
    const { manifest, problems } = parseExtensionManifest(text, "extension.json");
    expect(manifest).toBeUndefined();
    expect(problems.length).toBeGreaterThan(0);
  });

  it("that is not there is a problem too", async () => {
    const { problems } = await readExtensionManifest("/no/such/folder");
    expect(problems[0]?.message).toContain("cannot be read");
  });
});

describe("settings", () => {
  const config = { level: { default: 3 }, token: { secretEnv: "GUARD_TOKEN", required: true }, note: {} };
  const resolve = (settings: object, environment: { [name: string]: string }) => {
    const { manifest } = parse({ ...good, config });
    if (manifest === undefined) throw new Error("the manifest is good");
    return programOf(manifest, settings as { [key: string]: unknown }).config?.(environment);
  };

  it("are the user's, the environment's, then the defaults", () => {
    expect(resolve({}, { GUARD_TOKEN: "t" })).toEqual({ level: 3, token: "t" });
    expect(resolve({ level: 5, note: "n" }, { GUARD_TOKEN: "t" })).toEqual({ level: 5, token: "t", note: "n" });
  });

  it("that are missing or unknown are said by name", () => {
    expect(() => resolve({}, {})).toThrow('needs the setting "token": set GUARD_TOKEN');
    expect(() => resolve({ levle: 1 }, { GUARD_TOKEN: "t" })).toThrow('no setting "levle". Did you mean "level"?');
  });
});
