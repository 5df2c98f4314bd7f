import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CliHome, createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { runAsShown } from "../../../../../test/support/run-as-shown.js";

// The built command line in this process, and a real hub.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
let home: CliHome;
beforeEach(() => {
  home = createHomeInProcess();
});
afterEach(() => home.close());

function put(name: string, text: string): void {
  mkdirSync(dirname(join(home.folder, name)), { recursive: true });
  writeFileSync(join(home.folder, name), text, { mode: 0o600 });
}

const config = (text: string) => put("config/hookline/hookline.toml", text);
const moduleHook = (name: string, more = "") => `[[hook]]\nname = "${name}"\nevent = "tool:before"\nmodule = "./${name}.mjs"\n${more}`;
const guard = (name: string, answer: string) => put(`config/hookline/${name}.mjs`, `export const handle = () => (${answer});\n`);
const canary = 'canary = "git push --force"\n';
const selftest = (...args: readonly string[]) => home.run("selftest", ...args);
async function states() {
  const { out } = await selftest("--json");
  const { guards } = JSON.parse(out) as { guards: { name: string; state: string; canaries: { failure?: string }[] }[] };
  return Object.fromEntries(guards.map(({ name, state, canaries: [first] }) => [name, first?.failure ?? state]));
}

/** Bad ones of every kind among good ones, and neighbours that could hide them. */
function putGuards(): void {
  guard("deny-all", '{ decision: "deny", reason: "no" }');
  guard("allow-all", '{ decision: "allow" }');
  guard("lax", "undefined");
  config(
    [
      moduleHook("deny-all", `priority = 900\n${canary}`),
      moduleHook("allow-all", "priority = 800\nonFailure = 'open'\n"),
      moduleHook("lax", canary),
      `[[hook]]\nname = "crash"\nevent = "tool:before"\ncommand = "sh"\nargs = ["-c", "echo boo >&2; exit 7"]\n${canary}`,
      '[[hook]]\nname = "bare"\nevent = "tool:before"\ncommand = "true"\n',
      '[[rule]]\nname = "typo"\nmatch = "tool.input.command contains psuh"\ndo = "block"\nexamples = { catches = ["git push"] }\n',
    ].join(""),
  );
}
const expected = { "deny-all": "denied", lax: "let through", crash: "crash", bare: "no canary", typo: "not asked" };

describe("hookline selftest", () => {
  it("names each guard that does not guard, with and without a hub", async () => {
    putGuards();
    const alone = await selftest();
    expect(alone.code).toBe(1);
    expect(alone.err).toContain("No hub is running: tried in this process.");
    expect(alone.err).toContain("5 guards: 1 denies its canary, 1 fails, 1 lets it through, 1 is not asked, 1 has no canary.");
    expect(alone.out).toMatch(/^✗ lax +git push --force +as written +let through +[\d.<]+ ms$/m);
    expect(alone.out).toMatch(/^✗ crash +git push --force +as written +failed closed: crash +[\d.]+ ms\n .*exit code 7.*boo/m);
    expect(alone.out).toMatch(/^✗ typo +git push +as written +not asked .*\n .*Its "match" does not take it/m);
    expect(alone.out).toMatch(/^! bare .*\n +Give it one: canary = "…"$/m);
    expect(alone.out).toMatch(/^✓ deny-all +git push --force +as written +denied/m);
    expect(await states()).toEqual(expected);

    await home.run("up", "--detach", "--port", "0");
    const withHub = await selftest();
    expect([withHub.code, withHub.err]).toEqual([1, expect.not.stringContaining("No hub")]);
    expect(await states()).toEqual(expected);
    expect(await home.run("tail", "--no-follow", "--json")).toMatchObject({ code: 0, out: "" });
  });

  it("is content with the starter rules at once, and with a hub that runs already", async () => {
    expect(await selftest()).toMatchObject({ code: 0, out: "", err: expect.stringContaining("There are no guards to test") });
    expect(await selftest("--strict")).toMatchObject({ code: 1 });
    await home.run("up", "--detach", "--port", "0");
    await home.run("rules", "add", "destructive-shell");
    // One of its canaries makes a file system on a disk that only a variable names.
    const summary = /^6 guards: 5 deny their canary, 1 asks about it\.$/m;
    expect(await selftest("--strict")).toMatchObject({ code: 0, err: expect.stringMatching(summary) });
  });

  it.each(["ts", "js", "python", "sh"])("is content with a new hook in %s", async (language) => {
    await home.run("hooks", "new", "my-guard", "--language", language);
    expect(await selftest("--strict")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ my-guard +git push --force origin main +as written +denied/m),
    });
  });

  it("takes a guard without a canary for a failure only when told to be strict", async () => {
    guard("bare", "undefined");
    config(moduleHook("bare"));
    expect(await selftest()).toMatchObject({ code: 0, err: expect.stringContaining("1 guard: 1 has no canary.") });
    expect(await selftest("--strict")).toMatchObject({ code: 1 });
  });

  it("tries a project's hooks in their project, and what was changed since consent is a failure", async () => {
    put(".hookline/hooks/own/HOOK.yaml", `events: ["tool:before"]\npermissions: [tools.intercept]\ncanary: "git push"\n`);
    put(".hookline/hooks/own/handler.js", 'export const handle = () => ({ decision: "deny", reason: "no" });\n');
    expect(await selftest("--project", home.folder)).toMatchObject({ code: 0, err: expect.stringContaining("no guards") });
    await runAsShown(home, "hooks", "trust", "own");
    expect(await states()).toEqual({ own: "denied" });
    put(".hookline/hooks/own/handler.js", "export const handle = () => undefined;\n");
    expect(await states()).toEqual({ own: "untrusted" });
    await home.run("up", "--detach", "--port", "0");
    expect(await states()).toEqual({ own: "untrusted" });
  });

  it("names a hook that cannot be read, and leaves out one that is switched off", async () => {
    put("config/hookline/hooks/odd/HOOK.yaml", "events: [");
    put("config/hookline/hooks/odd/handler.js", "export const handle = () => undefined;\n");
    await home.run("hooks", "new", "off", "--language", "js");
    await home.run("hooks", "disable", "off");
    expect(await states()).toEqual({ odd: "broken" });
    await home.run("up", "--detach", "--port", "0");
    expect(await states()).toEqual({ odd: "broken" });
  });

  it("says what is wrong with a file that cannot be read, and shows nothing a terminal would act on", async () => {
    config("[[hook");
    expect(await selftest()).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/Run: .*:-vi\} /) });
    config('[[rule]]\nname = "r"\ndo = "block"\nexamples = { catches = ["a\\u001b[31mb"] }\n');
    expect(await selftest()).toMatchObject({ code: 0, out: expect.not.stringContaining("\u001b") });
    expect(await selftest("--help")).toMatchObject({ code: 0, out: expect.stringContaining("hookline selftest --strict") });
  });
});
