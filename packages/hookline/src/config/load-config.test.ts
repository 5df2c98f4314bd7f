import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { ruleActions } from "../rules/actions.js";
import { testRules } from "../rules/test-rules.js";
import { configPath, resolvePath } from "./config-path.js";
import { loadConfig, parseConfig } from "./load-config.js";
import { formatProblem } from "./problem.js";
import { ruleSchema } from "./schema/rule-schema.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function fileWith(text: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-config-"));
  folders.push(folder);
  const path = join(folder, "hookline.toml");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** The problems of a text, as a person reads them, without the file's name. */
async function problemsOf(text: string): Promise<string[]> {
  return (await parseConfig(text, "/c/hookline.toml")).problems.map((problem) => formatProblem({ ...problem, file: "f" }));
}

describe("loadConfig", () => {
  it("treats a missing file as empty", async () => {
    const loaded = await loadConfig(join(tmpdir(), "hookline-nowhere", "hookline.toml"));
    expect(loaded).toMatchObject({ config: { hub: {}, sinks: [], hooks: [], redact: { paths: [] }, retention: {} }, problems: [] });
  });

  it.each([
    ["a key that another one needs", '[policy]\nfrom = "/p"\nkey = "SHA256:x),"', "f:3:1: policy.key: "],
    ["a proxy that a header needs", '[fleet]\npersonHeader = "x-user"\nproxy = "nonsense"', "f:3:1: fleet.proxy: "],
    ["a key without the one it needs", '[fleet]\nproxy = "10.0.0.5"', "fleet.personHeader: "],
  ])("tells only of %s, and reads the rest", async (_, table, problem) => {
    const text = `${table}\n[hub]\nport = 4100\n`;
    expect(await problemsOf(text)).toEqual([expect.stringContaining(problem)]);
    expect(await parseConfig(text, "/c/hookline.toml")).toMatchObject({ config: { hub: { port: 4100 } } });
  });

  it("gives everything with its defaults, and paths in full", async () => {
    const path = fileWith(`
[hub]
port = 4100
host = "127.0.0.1"
data = "./data"
askTimeout = "2m"
[redact]
paths = ["tool.input.env.*"]
[retention]
maxAge = "30d"
maxBytes = "2GB"
[[sink]]
type = "jsonl"
path = "out/events.jsonl"
maxBytes = "64KB"
maxAgeMs = "1.5h"
redact = "user.email"
[[sink]]
type = "webhook"
name = "ops"
url = "https://example.com/hook"
secret = { file = "secret" }
headers = { authorization = { env = "OPS_TOKEN" } }
timeoutMs = "2m"
events = ["PreToolUse", "session:*"]
retry = { maxAttempts = 3 }
[[hook]]
module = "./guard.mjs"
event = "tool:before"
tool = ["bash", "edit*"]
match = "tool.input.command =~ 'rm'"
timeoutMs = "10s"
`);
    const { config, problems } = await loadConfig(path);
    const folder = join(path, "..");
    expect(problems).toEqual([]);
    expect(config?.hub).toEqual({ port: 4100, host: "127.0.0.1", data: join(folder, "data"), askTimeoutMs: 120_000 });
    expect(config?.retention).toEqual({ maxAgeMs: 30 * 86_400_000, maxBytes: 2 * 1_024 ** 3 });
    const [jsonl, webhook] = config?.sinks ?? [];
    expect(jsonl).toMatchObject({
      name: "jsonl",
      redact: ["tool.input.env.*", "user.email"],
      redactSecrets: true,
      from: "end",
      timeoutMs: 30_000,
    });
    expect(jsonl?.options).toEqual({ path: join(folder, "out/events.jsonl"), maxBytes: 65_536, maxAgeMs: 5_400_000 });
    expect(jsonl?.retry.maxAttempts).toBe(Number.POSITIVE_INFINITY);
    expect(webhook).toMatchObject({
      name: "ops",
      timeoutMs: 121_000,
      events: ["PreToolUse", "session:*"],
      retry: { maxAttempts: 3, baseMs: 100 },
    });
    expect(webhook?.options).toEqual({
      url: "https://example.com/hook",
      secret: { file: join(folder, "secret") },
      headers: { authorization: { env: "OPS_TOKEN" } },
      timeoutMs: 120_000,
    });
    expect(config?.hooks).toEqual([
      {
        kind: "module",
        name: "guard",
        module: join(folder, "guard.mjs"),
        export: "handle",
        events: ["tool:before"],
        tool: ["bash", "edit*"],
        match: "tool.input.command =~ 'rm'",
        timeoutMs: 10_000,
        file: path,
        line: 27,
      },
    ]);
  });

  it("gives no config for a file that is not TOML, and reports the position without quoting the text", async () => {
    const loaded = await loadConfig(fileWith('[hub]\nport = 1\nsecret = "hunter2\n'));
    expect(loaded.config).toBeUndefined();
    expect(loaded.problems).toHaveLength(1);
    expect(loaded.problems[0]).toMatchObject({ line: 3, key: "", message: expect.stringContaining("This is not TOML") });
    expect(loaded.problems[0]?.message).not.toContain("hunter2");
  });

  it.each([
    ["[[rule]]\nname = no-push\n", "a text needs quotes."],
    ["[[rule]]\nmatch = \"prompt =~ '\\d'\"\n", "write \\\\ for a backslash, or put the text in single quotes."],
  ])("says how to write the value in %j", async (text, hint) => {
    const { problems } = await loadConfig(fileWith(text));
    expect(problems).toMatchObject([{ line: 2, message: expect.stringMatching(/^This is not TOML: /) }]);
    expect(problems[0]?.message.endsWith(hint)).toBe(true);
  });

  it("gives no config for a file that is unreadable or belongs to another user", async () => {
    const open = fileWith("");
    chmodSync(open, 0o666);
    const folder = join(open, "..", "folder");
    mkdirSync(folder);
    const cases = {
      [open]: "Every user may write",
      [folder]: "not a regular file",
      [fileWith(Uint8Array.of(0x61, 0xff))]: "UTF-8",
      [fileWith("#".repeat(1_048_577))]: "The limit is",
    };
    for (const [path, message] of Object.entries(cases))
      expect(await loadConfig(path)).toMatchObject({
        config: undefined,
        problems: [{ line: 1, column: 1, message: expect.stringContaining(message) }],
      });
    const { problems } = await loadConfig(open);
    expect(problems.map(({ fix }) => fix)).toEqual([{ run: expect.stringContaining("chmod o-w") }]);
    expect(problems.map(formatProblem).join()).toContain("Run: chmod o-w");
  });

  it("reads a file with a byte order mark and Windows line ends", async () => {
    const { config, problems } = await loadConfig(fileWith("\ufeff[hub]\r\nport = 1\r\nprot = 2\r\n"));
    expect(config?.hub.port).toBe(1);
    expect(problems).toMatchObject([{ line: 3, column: 1, key: "hub.prot" }]);
  });
});

describe("what is wrong in a file", () => {
  it("is said with line, column, key and what was meant; the rest works", async () => {
    const text =
      '[hub]\nprot = 1\n[[sink]]\ntype = "jsonl"\n  pth = "x"\n[[sink]]\ntype = "web-hook"\n[[sink]]\ntype = "memory"\n[sinks]\n';
    const { config } = await parseConfig(text, "/c/hookline.toml");
    expect(config?.sinks.map(({ type }) => type)).toEqual(["memory"]);
    expect(await problemsOf(text)).toEqual([
      'f:2:1: hub.prot: "prot" is not known here. Did you mean "port"? Known: port, host, data, askTimeout, remoteApprovals, publicUrl.',
      expect.stringMatching(/^f:5:3: sink\[0\]\.pth: "pth" is not known here\. Did you mean "path"\? Known: type, name, /),
      'f:7:1: sink[1].type: There is no sink of type "web-hook". Did you mean "webhook"? The types are jsonl, webhook, archive, unix-socket, otlp, stdout, memory.',
      'f:10:2: sinks: "sinks" is not known here. Did you mean "sink"? Known: hub, fleet, redact, policy, paths, prices, mcp, retention, rule, sink, hook, notify.',
    ]);
  });

  it.each([
    ["[hub]\nport = 70000", 'f:2:1: hub.port: "port" must be a port: a whole number from 0 to 65535, not 70000.'],
    ['[hub]\nport = "80"', 'f:2:1: hub.port: "port" must be a port: a whole number from 0 to 65535, not "80".'],
    ["hub = 1", 'f:1:1: hub: "hub" must be one table: write [hub].'],
    ["[[hub]]\nport = 1", 'f:1:3: hub: "hub" must be one table: write [hub].'],
    ['[sink]\ntype = "jsonl"', 'f:1:2: sink: "sink" must be a list of tables: write [[sink]].'],
    [
      "[[sink]]",
      'f:1:3: sink[0].type: "type" is missing or not text. The types are jsonl, webhook, archive, unix-socket, otlp, stdout, memory.',
    ],
    ['[[sink]]\ntype = "webhook"', 'f:1:3: sink[0].url: "url" is missing: it must be text, { env = "NAME" } or { file = "path" }.'],
    ['[[sink]]\ntype = "webhook"\nurl = "ftp://user:hunter2@x"', 'f:3:1: sink[0].url: "url" must be an http or https address.'],
    [
      '[[sink]]\ntype = "jsonl"\nmaxBytes = "64 potatoes"',
      'f:3:1: sink[0].maxBytes: "maxBytes" must be a size above 0 such as "64KB", "16MB" or "2GB", or a number of bytes, not "64 potatoes".',
    ],
    [
      '[[sink]]\ntype = "jsonl"\nretry.baseM = 1',
      'f:3:7: sink[0].retry.baseM: "baseM" is not known here. Did you mean "baseMs"? Known: maxAttempts, baseMs, maxMs, maxAfterMs.',
    ],
    [
      '[[sink]]\ntype = "jsonl"\nevents = [\n"tool:befor"]',
      expect.stringMatching(/^f:4:1: sink\[0\]\.events\[0\]: "events" is wrong: Unknown event "tool:befor"\. Did you mean "tool:before"\?/),
    ],
    [
      '[[sink]]\ntype = "jsonl"\nevents = []',
      'f:3:1: sink[0].events: "events" must be an event\'s name, a pattern such as tool:*, or a list of them, not a list.',
    ],
    [
      '[[sink]]\ntype = "jsonl"\nredact = ["a..b"]',
      'f:3:11: sink[0].redact[0]: "redact" must be a path such as tool.input.token, not "a..b".',
    ],
    [
      '[[sink]]\ntype = "memory"\n[[sink]]\ntype = "memory"',
      'f:3:3: sink[1].name: Another [[sink]] already has the name "memory". Give this one another "name".',
    ],
    ['[[hook]]\nevent = "tool:before"', 'f:1:3: hook[0]: A hook needs one of "command", "module", "extension" or "url".'],
    [
      '[[hook]]\ncommand = "a"\nurl = "http://localhost:1"\nevent = "tool:before"',
      'f:3:1: hook[0].url: A hook has either "command" or "url", not both.',
    ],
    ['[[hook]]\ncommand = "a"', expect.stringMatching(/^f:1:3: hook\[0\]\.event: "event" is missing/)],
    [
      '[[hook]]\ncommand = "a"\nevent = "tool:before"\ndialect = "klingon"',
      'f:4:1: hook[0].dialect: "dialect" must be one of own, claude-code, hermes, codewhale, harn, not "klingon".',
    ],
    ['[[hook]]\nextension = "a"\nevent = "tool:before"', expect.stringMatching(/^f:3:1: hook\[0\]\.event: "event" is not known here/)],
    ['[[hook]]\nurl = "http://example.com"\nevent = "tool:before"', expect.stringMatching(/^f:2:1: hook\[0\]\.url: "url" .*https/)],
    [
      '[[hook]]\nmodule = "a"\nevent = "tool:before"\nmatch = "tool.name =="',
      expect.stringMatching(/^f:4:22: hook\[0\]\.match: "match" is wrong at character 13: /),
    ],
    [
      '[[hook]]\nmodule = "a"\nevent = "tool:before"\nmatch = "tool.name =~ \'(?=a)\'"',
      expect.stringMatching(/^f:4:23: hook\[0\]\.match: "match" is wrong at character 14: /),
    ],
    [
      '[[hook]]\nmodule = "a"\nevent = "tool:before"\nstage = "observe"\nonFailure = "closed"',
      expect.stringMatching(/^f:5:1: hook\[0\]\.onFailure: "onFailure" cannot be "closed" in stage "observe"/),
    ],
    [
      '[[hook]]\nmodule = "a"\nevent = "tool:before"\nonFailure = "abort"',
      'f:4:1: hook[0].onFailure: "onFailure" must be "open" or "closed", not "abort".',
    ],
    [
      '[[hook]]\nmodule = "a"\nevent = "tool:before"\nmatch = "tool.inputs.command =~ rm"',
      expect.stringMatching(/^f:4:10: hook\[0\]\.match: "match" is wrong at character 1: .* Did you mean "tool\.input\.command"\?$/),
    ],
    [
      '[redact]\npaths = ["user.email", "tool.inputs.token"]',
      expect.stringMatching(/^f:2:\d+: redact\.paths.*Did you mean "tool\.input\.token"\?$/),
    ],
    ['[hub]\naskTimeout = "10m"', expect.stringMatching(/^f:2:1: hub\.askTimeout: "askTimeout" must be a time .* at most 9 minutes/)],
    ["[retention]\nmaxAge = 0", expect.stringMatching(/^f:2:1: retention\.maxAge: "maxAge" must be a time above 0/)],
    // Meant as megabytes, it would delete each event as soon as it is stored.
    ["[retention]\nmaxBytes = 500", expect.stringMatching(/^f:2:1: retention\.maxBytes: "maxBytes" must be a size of at least 10MB/)],
    ['[retention]\nmaxBytes = "9MB"', expect.stringMatching(/at least 10MB.*, not "9MB"/)],
    ["[retention]\nmaxAge = nan", expect.stringMatching(/^f:2:1: retention\.maxAge: "maxAge" must be/)],
  ])("%s", async (text, expected) => {
    expect(await problemsOf(text)).toEqual([expected]);
  });

  it("leaves out only an invalid entry, and only an invalid key of a table", async () => {
    const text =
      '[hub]\nport = "x"\ndata = "/d"\n[[hook]]\nmodule = "a.mjs"\nevent = "nope"\n[[hook]]\nmodule = "b.mjs"\nevent = "tool:*"\n';
    const { config } = await parseConfig(text, "/c/hookline.toml");
    expect(config).toMatchObject({ hub: { data: "/d" }, hooks: [{ name: "b", line: 7 }] });
    expect(config?.hub.port).toBeUndefined();
  });

  it("runs no sink while [redact] is invalid", async () => {
    const { config, problems } = await parseConfig('[redact]\npath = ["a"]\n[[sink]]\ntype = "memory"\n', "/c/hookline.toml");
    expect(config?.sinks).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("No sink runs"),
      expect.stringContaining('Did you mean "paths"?'),
    ]);
  });

  it("is found in what is switched off, too", async () => {
    const text =
      '[[sink]]\ntype = "memory"\nenabled = false\n[[hook]]\nmodule = "a"\nevent = "tool:before"\nenabled = false\n[[sink]]\ntype = "memory"\nenabled = false\nlimt = 1\n';
    const { config, problems } = await parseConfig(text, "/c/hookline.toml");
    // A hook is kept, to be listed.
    expect([config?.sinks, config?.hooks]).toMatchObject([[], [{ name: "a", enabled: false }]]);
    expect(problems).toMatchObject([{ line: 11, key: "sink[1].limt" }]);
  });

  it("never is a key of the prototype", async () => {
    const text =
      '__proto__ = { polluted = 1 }\n[[sink]]\ntype = "constructor"\n[[sink]]\ntype = "memory"\n"__proto__" = { limit = 1 }\n[hub]\nconstructor = 1\n';
    const { problems } = await parseConfig(text, "/c/hookline.toml");
    expect(problems.map(({ key, line }) => `${line} ${key}`)).toEqual([
      "1 __proto__",
      "3 sink[0].type",
      "6 sink[1].__proto__",
      "8 hub.constructor",
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("is found for every key of every sink, given a value of the wrong type", async () => {
    const { sinkSchemas } = await import("./schema/sink-schemas.js");
    for (const [type, schema] of Object.entries(sinkSchemas))
      for (const key of Object.keys(schema.shape).filter((name) => name !== "type")) {
        const url = type === "webhook" && key !== "url" ? 'url = "https://example.com"\n' : "";
        for (const wrong of ["1979-05-27", "-1.5", "[[1]]"]) {
          const text = `[[sink]]\ntype = "${type}"\n${url}${key} = ${wrong}\n[[sink]]\ntype = "memory"\nname = "good"\n`;
          const { config, problems } = await parseConfig(text, "/c/hookline.toml");
          const line = url === "" ? 3 : 4;
          expect({ text, lines: [...new Set(problems.map((problem) => problem.line))] }).toEqual({ text, lines: [line] });
          expect(config?.sinks.map(({ name }) => name)).toEqual(["good"]);
        }
      }
  });
});

describe("paths", () => {
  it("are found from XDG_CONFIG_HOME, else from the home folder", () => {
    expect(configPath({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/hookline/hookline.toml");
    expect(configPath({ XDG_CONFIG_HOME: "relative", HOME: "/h" })).toBe("/h/.config/hookline/hookline.toml");
    expect(configPath({ HOME: "/h" })).toBe("/h/.config/hookline/hookline.toml");
  });

  it("are relative to the file, or to the home folder", () => {
    expect(resolvePath("/c", "a/b")).toBe("/c/a/b");
    expect(resolvePath("/c", "/a")).toBe("/a");
    expect(resolvePath("/c", "~/a", { HOME: "/h" })).toBe("/h/a");
    expect(resolvePath("/c", "~a")).toBe("/c/~a");
  });
});

describe("[[rule]]", () => {
  it("is read with its place, and with tool:before unless it says otherwise", async () => {
    const text = `
[[rule]]
name = "a"
do = "block"

[[rule]]
name = "b"
event = ["PreToolUse", "PreToolUse", "prompt:submit"]
do = "modify"
set = { "tool.input.command" = "nice {value}", "tool.input.list" = [1, { a = true }] }
enabled = false
priority = -1
examples = { catches = ["ls", { tool = { name = "Bash" } }] }
`;
    const { config, problems } = await parseConfig(text, "/c/hookline.toml");
    expect(problems).toEqual([]);
    expect(config?.rules).toEqual([
      { name: "a", do: "block", events: ["tool:before"], file: "/c/hookline.toml", line: 2 },
      {
        name: "b",
        do: "modify",
        events: ["PreToolUse", "prompt:submit"],
        set: { "tool.input.command": "nice {value}", "tool.input.list": [1, { a: true }] },
        enabled: false,
        priority: -1,
        examples: { catches: ["ls", { tool: { name: "Bash" } }] },
        file: "/c/hookline.toml",
        line: 6,
      },
    ]);
  });

  it.each([
    ["", 'f:1:3: rule[0].name: "name" is missing: it must be a name without spaces.'],
    [
      'do = "blok"',
      'f:3:1: rule "x": "do" must be "block", "ask", "allow", "modify", "replace", "inject", "remind" or "notify", not "blok". Did you mean "block"?',
    ],
    ['do = "block"\nonFailure = "deny"', 'f:4:1: rule "x": "onFailure" must be "open" or "closed", not "deny". Did you mean "closed"?'],
    [
      'do = "block"\nstage = "gaurd"',
      'f:4:1: rule "x": "stage" must be "rewrite", "guard" or "observe", not "gaurd". Did you mean "guard"?',
    ],
    [
      'do = "explode"',
      'f:3:1: rule "x": "do" must be "block", "ask", "allow", "modify", "replace", "inject", "remind" or "notify", not "explode".',
    ],
    ['do = "block"\nmesage = "x"', 'f:4:1: rule "x": "mesage" is not known here. Did you mean "message"?'],
    ['do = "modify"', 'f:1:3: rule "x": "set" is missing: it says what do = "modify" writes.'],
    [
      'event = "tool:result"\ndo = "replace"\nwith = ""',
      'f:1:3: rule "x": "find" is missing: it says which text do = "replace" replaces, as a regular expression.',
    ],
    ['event = "tool:result"\ndo = "replace"\nfind = "("\nwith = ""', 'f:5:1: rule "x": "find" is wrong: This is not a regular expression'],
    [
      'event = "tool:before"\ndo = "replace"\nfind = "a"\nwith = ""',
      'f:3:1: rule "x": "event" has "tool:before", which does not take "replace"',
    ],
    ['do = "block"\nset = { a = 1 }', 'f:4:1: rule "x": "set" is for do = "modify", and this rule\'s is "block".'],
    ['do = "modify"\nset = { "tool.name" = "x" }', 'f:4:1: rule "x": "set" is wrong: "tool.name" identifies the call'],
    ['do = "ask"\nevent = "UserPromptSubmit"', 'f:4:1: rule "x": "event" has "UserPromptSubmit", which does not take "ask"'],
    ['do = "block"\nevent = "tool:befor"', 'f:4:1: rule "x": "event" is wrong: Unknown event "tool:befor". Did you mean "tool:before"?'],
    [
      'do = "block"\nmatch = "tool.input.command =~ \'(?=a)\'"',
      'f:4:32: rule "x": "match" is wrong at character 23: This is not a regular expression: invalid or unsupported Perl syntax: `(?=`; RE2 has no look-around and no backreferences.',
    ],
    [
      'do = "block"\nmatch = "tool.name == \\"a\\u0020\\" && tool.name =~ \'[\'"',
      'f:4:51: rule "x": "match" is wrong at character 35: This is not a regular expression: missing closing ]: `[`.',
    ],
    ['do = "block"\nmatch = "tool.name =~"', 'f:4:22: rule "x": "match" is wrong at character 13: Expected a value, or'],
    [
      "do = 'block'\nmatch = '''\ntool.name =~ [a'''",
      'f:4:1: rule "x": "match" is wrong at character 14: This is not a regular expression',
    ],
    [
      'do = "block"\nmatch = "Bash && tool.inputs.command =~ rm"',
      'f:4:18: rule "x": "match" is wrong at character 9: "tool.inputs.command" is never there: "tool" has no "inputs". Did you mean "tool.input.command"?',
    ],
    [
      'do = "block"\nevent = ["prompt:submit", "compact:before"]\nmatch = "promt =~ rm"',
      'f:5:10: rule "x": "match" is wrong at character 1: "promt" is never there: "prompt:submit" has no "promt". Did you mean "prompt"?',
    ],
    [
      'do = "block"\nevent = "prompt:submit"\ntool = "Bash"',
      'f:5:1: rule "x": "tool" is wrong: it reads the tool: "tool.name" is never there: "prompt:submit" has no "tool".',
    ],
    [
      'do = "modify"\nset = { "tool.inputs.command" = "x" }',
      'f:4:9: rule "x", set."tool.inputs.command": "tool.inputs.command" is wrong: "tool.inputs.command" is never there: "tool" has no "inputs". Did you mean "tool.input.command"?',
    ],
    ['do = "notify"', 'f:1:3: rule "x": "message" is missing: it is the text for do = "notify".'],
    ['do = "block"\nstage = "observe"', 'f:4:1: rule "x": "stage" cannot be "observe" with do = "block"'],
    [
      'do = "block"\nexamples = { catches = [1] }',
      'f:4:25: rule "x", examples.catches[0]: "catches" must be a command, a prompt or a payload',
    ],
  ])("says what is wrong with %j", async (keys, problem) => {
    const [first = "", ...more] = await problemsOf(`[[rule]]\n${keys === "" ? "" : 'name = "x"\n'}${keys}\n`);
    expect(first.slice(0, problem.length)).toBe(problem);
    expect(more.length).toBeLessThan(2);
  });

  it("keeps a rule with a path that cannot be checked, and warns", async () => {
    const text = `[[rule]]\nname = "own"\nevent = "myapp:deployed"\nmatch = "version == 2"\ndo = "notify"\nmessage = "m"\n[[rule]]\nname = "tenant"\ndo = "block"\nmatch = "Bash && tenant.id == a"\n[[rule]]\nname = "both"\nevent = ["tool:before", "prompt:submit"]\nmatch = "tool.input.command =~ rm || prompt =~ rm"\ndo = "block"\n`;
    const { config, problems, warnings } = await parseConfig(text, "f");
    expect([config?.rules.length, config?.broken, problems]).toEqual([3, [], []]);
    expect(warnings.map(formatProblem)).toEqual([
      expect.stringMatching(
        /^f:4:10: warning: rule "own": "version" cannot be checked: Hookline does not know the payload of "myapp:deployed"/,
      ),
      expect.stringMatching(/^f:10:18: warning: rule "tenant": "tenant\.id" cannot be checked: "tool:before" has no "tenant"/),
    ]);
  });

  it.each([
    ["block", "deny Deny DENIED reject refuse forbid disallow prevent stop abort cancel veto"],
    ["ask", "confirm prompt review escalate"],
    ["allow", "permit approve accept grant pass"],
    ["modify", "rewrite change edit set"],
    ["replace", "redact mask hide sanitize"],
    ["inject", "context append"],
    ["remind", "reminder nudge"],
    ["notify", "warn log alert audit report"],
  ])('knows that "%s" was meant by %s', async (meant, words) => {
    for (const word of words.split(" ")) {
      const [problem] = await problemsOf(`[[rule]]\nname = "x"\ndo = "${word}"\n`);
      expect(problem, word).toContain(`not "${word}". Did you mean "${meant}"?`);
    }
  });

  it("leaves out only an invalid one and the second of two with one name", async () => {
    const good = (name: string) => `[[rule]]\nname = "${name}"\ndo = "block"\n`;
    const { config, problems } = await parseConfig(`${good("a")}[[rule]]\nname = "b"\n${good("c")}${good("a")}`, "/c/hookline.toml");
    expect(config?.rules.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(problems.map(({ key }) => key)).toEqual(["rule[1].do", "rule[3].name"]);
  });
});

describe("a rule that depends on what happened before", () => {
  const rule = (name: string, keys: string) => `[[rule]]\nname = "${name}"\ndo = "block"\n${keys}\n`;
  it.each([
    ['count = 2\nwithin = "5 minuts"', "within", 'must be a time above 0 such as "30s"'],
    ["count = 0", "count", "must be a whole number above 0"],
    ["count = 1001", "count", "must be a whole number from 1 to 1000"],
    ['count = 2\nper = "sesion"', "per", 'Did you mean "session"?'],
    ['after = "read-secrt"', "after", 'names no rule that can be used: "read-secrt". Did you mean "read-secret"?'],
    ['after = "broken"', "after", 'names no rule that can be used: "broken".'],
    ['after = "last"', "after", "leads in a circle"],
    ['within = "5m"', "within", "Add one of them"],
    ["budget = {}", "budget", "must have tokens, costUsd or both"],
    ["budget = { tokns = 1 }", "budget", 'Did you mean "tokens"?'],
  ])("%s is refused at its line, and closes what it guards", async (keys, key, message) => {
    const text = `${rule("read-secret", "")}${rule("x", keys)}${rule("last", 'after = "x"')}${rule("broken", "coutn = 1")}`;
    const { config, problems } = await parseConfig(text, "/c/hookline.toml");
    const problem = problems.find((one) => one.key.startsWith("rule[1]") && one.message.includes(message));
    expect(problem).toMatchObject({ key: expect.stringContaining(key), message: expect.stringContaining(message), name: "x" });
    expect(text.split("\n")[(problem?.line ?? 0) - 1]).toContain(key);
    // A rule that comes after one that cannot be used cannot be used either.
    expect(config?.broken.map(({ name }) => name).sort()).toEqual(["broken", "last", "x"]);
  });

  it("is warned of if the rule before it is switched off", async () => {
    const { warnings } = await parseConfig(`${rule("a", "enabled = false")}${rule("b", 'after = "a"')}`, "/c/hookline.toml");
    expect(warnings).toMatchObject([{ key: "rule[1].after", message: expect.stringContaining("switched off") }]);
  });
});

describe("docs/rules.md", () => {
  const page = readFileSync(new URL("../../../../docs/rules.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);

  it.each(blocks.map((text, index) => [index + 1, text] as const))("is right in block %i, and so are its examples", async (_, text) => {
    const { config, problems } = await parseConfig(text, "/c/hookline.toml");
    expect(problems).toEqual([]);
    expect((await testRules(config?.rules ?? [])).filter(({ isRight }) => !isRight)).toEqual([]);
  });

  it("names every key and action there is", () => {
    const keys = [...Object.keys(ruleSchema.shape), ...ruleActions];
    expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });
});

describe("a guard with a typing error", () => {
  const rule = 'name = "r"\ndo = "block"\n';
  it.each([
    [`[rule]\n${rule}`, "tool:before"],
    [`[[rules]]\n${rule}`, "tool:before"],
    [`[[Rule]]\n${rule}`, "tool:before"],
    [`[[rule]]\n${rule}event = "tool:befor"\n`, "tool:before"],
    [`[[rule]]\n${rule}event = "promt:submit"\n`, "prompt:submit"],
    ['[[rule]]\nname = "r"\ndo = "ask"\nstage = "observe"\n', "tool:before"],
    ['[[rule]]\nname = "r"\ndo = "modify"\n', "tool:before"],
    ['[hook]\nname = "r"\ncommand = "x"\nevent = "tool:before"\n', "tool:before"],
    ['[[hooks]]\nname = "r"\ncommand = "x"\nevent = "tool:before"\n', "tool:before"],
    ['[[hook]]\nname = "r"\ncommand = "x"\nevent = "tool:befor"\n', "tool:before"],
    ['[[hook]]\nname = "r"\ncommand = "x"\nevents = ["prompt:submit"]\n', "prompt:submit"],
    ['[[hook]]\nname = "r"\ncommand = "x"\n', "tool:before"],
    [`[[rule]]\n${rule}[[rule]]\n${rule}`, "tool:before"],
  ])("%s keeps closed what it was meant to guard", async (text, event) => {
    const { config, problems } = await parseConfig(text, "/c/hookline.toml");
    expect(problems).not.toEqual([]);
    expect(config?.broken).toMatchObject([{ name: "r", events: [event] }]);
  });

  it.each(['[[hook]]\ncommand = "x"\nevent = "sesion:end"\n', '[[rule]]\nname = "r"\ndo = "allow"\nx = 1\n', "[[hubs]]\nport = 1\n"])(
    "%s guarded nothing",
    async (text) => expect((await parseConfig(text, "/c/hookline.toml")).config?.broken).toEqual([]),
  );
});

describe("docs/configuration.md", () => {
  const page = readFileSync(new URL("../../../../docs/configuration.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);

  it("has an example of each sink", () => {
    for (const type of ["jsonl", "webhook", "unix-socket", "stdout", "memory"]) expect(blocks.join("\n")).toContain(`type = "${type}"`);
  });

  it.each(blocks.map((text, index) => [index + 1, text] as const))("is right in block %i", async (_, text) => {
    expect((await parseConfig(text, "/c/hookline.toml")).problems).toEqual([]);
  });

  it("shows an error as it really looks", async () => {
    const [, text = "", shown = ""] = /^```toml wrong\n([\s\S]*?)^```\n[\s\S]*?^```text\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const { problems } = await parseConfig(text, "hookline.toml");
    expect(problems.map((problem) => `${formatProblem(problem)}\n`).join("")).toBe(shown);
  });

  it("names every key there is", async () => {
    const { sinkSchemas } = await import("./schema/sink-schemas.js");
    const { hookSchemas } = await import("./schema/hook-schema.js");
    const { tableSchemas } = await import("./schema/table-schemas.js");
    const schemas = [...Object.values(sinkSchemas), ...Object.values(hookSchemas), ...Object.values(tableSchemas)];
    const keys = new Set(schemas.flatMap((schema) => ("shape" in schema ? Object.keys(schema.shape) : [])));
    const pages = `${page}${readFileSync(new URL("../../../../docs/reference/sinks.md", import.meta.url), "utf8")}`;
    expect([...keys].filter((key) => !pages.includes(`\`${key}\``))).toEqual([]);
  });
});

describe("importing loadConfig", () => {
  it("loads neither zod nor the TOML parser", () => {
    const module = fileURLToPath(new URL("../../dist/config/load-config.js", import.meta.url));
    const program = `import { registerHooks } from "node:module";
      const seen = []; registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
      await import(${JSON.stringify(module)}); console.log(seen.filter((url) => /zod|smol-toml|re2js/.test(url)).length, seen.length > 0);`;
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).trim()).toBe("0 true");
  });
});
