import { describe, expect, it } from "vitest";
import { ourEvents } from "./remove-hooks.js";
import { mergeToml, parseToml, removeToml, tomlLists } from "./toml-hooks.js";

const CLIENT = "/etc/hookline/clients/codex-strict.";
const entries = { PreToolUse: [{ hooks: [{ type: "command", command: `exec '${CLIENT}0.pl' "\\n"`, timeout: 600 }] }] };
const settings = [
  { path: ["only_managed"], value: true },
  { path: ["features", "hooks"], value: true },
  { path: ["hooks", "folder"], value: "/etc/hookline/clients", isFree: true },
] as const;
const ours = { syntax: { toml: true }, marks: [CLIENT] } as const;
const merged = (text: string) => mergeToml(text, { entries, settings, ...ours });

describe("a file in TOML", () => {
  const texts = [
    "",
    "# nothing\n",
    'model = "x"',
    "only_managed = true\n[features]\nhooks = true\n",
    '[features] # of the company\nother = false\n\n[hooks]\nfolder = "/srv"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "true"\n',
    '[[hooks.PreToolUse]]\nmatcher = "Bash"\n[[hooks.PreToolUse.hooks]]\ncommand = "true"\n',
    'text = """\n[feature]\n"""\n[a.b]\nc = [1, 2]\r\n',
  ];

  it.each(texts)("gets our entries and settings, keeps its own, and loses only ours again: %j", (text) => {
    const after = merged(text);
    expect(ourEvents(after, ours)).toEqual(["PreToolUse"]);
    expect(tomlLists(after, ours.syntax).PreToolUse?.at(-1)).toEqual(entries.PreToolUse[0]);
    expect(parseToml(after)).toMatchObject({ only_managed: true, features: { hooks: true }, hooks: { folder: expect.any(String) } });
    expect(merged(after)).toBe(after);
    expect(removeToml(after, ours).trimEnd()).toBe(text.trimEnd());
    expect(parseToml(removeToml(after, ours))).toEqual(parseToml(text));
  });

  it.each([
    "hooks = {}\n",
    "features = { other = 1 }\n",
    "features.other = 1\n",
    "[hooks]\nPreToolUse = []\n",
    'text = """\n[features]\n"""\n',
  ])("is refused if its tables cannot be added to: %j", (text) => {
    expect(() => merged(text)).toThrow(/cannot be added to/);
  });

  it("is refused if the agent could not read it", () => {
    expect(() => merged("[features\n")).toThrow(expect.objectContaining({ code: "HL_AGENT_FILE" }));
  });

  it("keeps everything if the end of our lines was removed", () => {
    const cut = merged('model = "x"\n').replace("# Hookline ends here.", "");
    expect(removeToml(cut, ours)).toContain("model");
  });
});

describe("a file in TOML with one list of hooks", () => {
  const flat = { syntax: { toml: true, eventField: "event" }, marks: [CLIENT] } as const;
  const lists = {
    PreToolUse: [{ event: "PreToolUse", command: `exec '${CLIENT}0.pl'`, timeout: 600 }],
    Stop: [{ event: "Stop", command: CLIENT }],
  };
  const merge = (text: string) => mergeToml(text, { entries: lists, ...flat });
  const theirs = '# mine\nmodel = "x"\n\n[[hooks]]\nevent = "Stop"\ncommand = "true" # theirs\n\n[services]\na = 1\n';

  it.each(["", theirs, "[services]\na = 1"])("gets our hooks after its own, and loses only ours: %j", (text) => {
    const after = merge(text);
    expect(ourEvents(after, flat)).toEqual(text === theirs ? ["Stop", "PreToolUse"] : ["PreToolUse", "Stop"]);
    expect(merge(after)).toBe(after);
    expect(removeToml(after, flat).trimEnd()).toBe(text.trimEnd());
  });

  it("loses ours also after the agent has written the file again, without comments", () => {
    const again = merge(theirs).replaceAll(/^#.*\n/gm, "");
    expect(removeToml(again, flat)).toBe(theirs.replace("# mine\n", ""));
  });

  it("is refused if its hooks are written in one line", () => {
    expect(() => merge("hooks = []\n")).toThrow(/cannot be added to/);
  });
});
