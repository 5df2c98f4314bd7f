import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { BYPASS, optionsOff, SESSION_FLAGS, unreviewedEvents, withReviews } from "./hook-trust.js";

// The hash is one that Codex 0.166.0 took for this hook, run without its bypass.
const command = "sh /srv/project/hook.sh";
const hash = "sha256:358c1eecec6f5314e6fd186912267e9c45568fe325fe4263d6ab3ea25347732c";
const hooks = { PreToolUse: [{ hooks: [{ type: "command", command, timeout: 600 }] }] };

function unreviewed(config: string, listed: Parameters<typeof unreviewedEvents>[1] = hooks): string[] {
  const folder = testFolder();
  mkdirSync(join(folder, ".codex"));
  writeFileSync(join(folder, ".codex", "config.toml"), config);
  return unreviewedEvents(SESSION_FLAGS, listed, () => true, { HOME: folder });
}

const state = (text: string) => `[hooks.state."/<session-flags>/config.toml:pre_tool_use:0:0"]\n${text}\n`;

describe("unreviewedEvents", () => {
  it("knows a hook that was reviewed as it is", () => {
    expect(unreviewed(state(`trusted_hash = "${hash}"`))).toEqual([]);
  });

  it("knows one that was not, that was changed since, or that is switched off", () => {
    expect(unreviewed("")).toEqual(["PreToolUse"]);
    expect(unreviewed("not toml [")).toEqual(["PreToolUse"]);
    expect(unreviewed(state('trusted_hash = "sha256:00"'))).toEqual(["PreToolUse"]);
    expect(unreviewed(state(`trusted_hash = "${hash}"\nenabled = false`))).toEqual(["PreToolUse"]);
    const changed = { PreToolUse: [{ hooks: [{ type: "command", command, timeout: 10 }] }] };
    expect(unreviewed(state(`trusted_hash = "${hash}"`), changed)).toEqual(["PreToolUse"]);
  });
});

describe("optionsOff", () => {
  function off(args: readonly string[]): string | undefined {
    const home = testFolder();
    mkdirSync(join(home, "off", ".codex"), { recursive: true });
    writeFileSync(join(home, "off", ".codex", "config.toml"), "[features]\nhooks = false\n");
    writeFileSync(join(home, "quiet.config.toml"), "[features]\nhooks = false\n");
    writeFileSync(join(home, "loud.config.toml"), 'model = "mine"\n');
    const path = join(home, "hooks.json");
    const ours = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "sh /state/attach/codex.sh PreToolUse" }] }] } };
    writeFileSync(path, JSON.stringify(ours));
    const key = `${path}:pre_tool_use:0:0`;
    writeFileSync(join(home, "state.config.toml"), `[hooks.state."${key}"]\nenabled = false\n`);
    const words = args.map((word) => word.replace("KEY", key));
    return optionsOff({ args: ["codex", ...words], env: { CODEX_HOME: home }, cwd: home, target: "user", path, hasHooks: () => false });
  }

  // Codex 0.166.0 runs no hook with these; of features, `codex … features list` says so.
  it.each([
    ["-c", "features.hooks=false"],
    ["exec", "-cfeatures.hooks=false"],
    ["-c=features.hooks=false"],
    ["--config=features.hooks = false"],
    ["-c", "features.codex_hooks=false"],
    ["-c", "features={hooks=false}"],
    ["-c", "features.hooks=false\nfeatures=1"],
    ["-c", "features={\nhooks=false}"],
    ["--disable", "hooks", "--enable", "hooks"],
    ["--disable=codex_hooks"],
    ["exec", "--profile", "quiet"],
    ["-pquiet"],
    ["-C", "off"],
    ["exec", "--ignore-user-config"],
    [BYPASS, "-c", 'hooks.state={"KEY"={enabled=false}}'],
    [BYPASS, "-c", 'hooks={state={"KEY"={enabled=false}}}'],
    [BYPASS, "--profile=state"],
  ])("%s %s %s switches hooks off", (...args) => expect(off(args)).toMatch(/hooks/));

  it.each([
    ["exec", "Why does -c features.hooks=false do nothing?"],
    ["-c", "features.hooks=true"],
    ["-c", "features.plugins=false"],
    ["-c", "model=hooks"],
    ["--disable", "plugins"],
    ["--profile", "loud"],
    ["-C", "."],
    [BYPASS, "--ignore-user-config"],
    [BYPASS, "-c", 'hooks.state={"/other:pre_tool_use:0:0"={enabled=false}}'],
    [BYPASS, "-c", "hooks.PreToolUse=[]"],
    ["exec", "--", "--disable", "hooks"],
  ])("%s %s %s does not", (...args) => expect(off(args)).toBeUndefined());
});

it("puts back only the reviews of our own hooks, and keeps every other edit", () => {
  const path = join(testFolder(), "hooks.json");
  const ours = { type: "command", command: "sh /state/attach/codex.sh", timeout: 600 };
  writeFileSync(path, JSON.stringify({ hooks: { PreToolUse: [{ hooks: [ours] }], Stop: [{ hooks: [{ ...ours, command: "true" }] }] } }));
  const review = (event: string, text: string) => `[hooks.state."${path}:${event}:0:0"]\n${text}\n`;
  const good = `model = "a"\n${review("pre_tool_use", 'trusted_hash = "sha256:1"')}${review("stop", 'trusted_hash = "sha256:2"')}`;
  const mine = '# mine\nmodel = "b"\n';
  const [gone, off] = [mine, `${mine}${review("pre_tool_use", 'trusted_hash = "sha256:0"\nenabled = false')}`];
  expect(withReviews(gone, good, path)).toBe(`${mine}\n${review("pre_tool_use", 'trusted_hash = "sha256:1"')}`);
  expect(withReviews(off, good, path)).toBe(`${mine}${review("pre_tool_use", 'trusted_hash = "sha256:1"\nenabled = true')}`);
  expect(withReviews(off, "", path)).toBe(off);
});
