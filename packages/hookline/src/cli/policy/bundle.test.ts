import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { runAsShown } from "../../../../../test/support/run-as-shown.js";
import { wordRule } from "../../../../../test/support/word-rule.js";

const CONFIG = "config/hookline/hookline.toml";

describe("hookline policy bundle and status", () => {
  it("signs a folder after its tests, counts the serials, and shows on the host what is in force and where each rule comes from", async () => {
    const home = createHomeInProcess();
    onTestFinished(() => home.close());
    home.write("policy/rules.toml", wordRule("no-curl", "curl"));
    const key = join(home.folder, "keys/policy.pem");
    const bundle = (...more: string[]) => home.run("policy", "bundle", "policy", "--key", key, "--out", "dist", ...more);
    expect(await bundle()).toMatchObject({ code: 1, err: expect.stringContaining("--new-key") });
    const wrong = home.write("policy/wrong.toml", wordRule("wrong", "wget").replace("message =", "reason ="));
    const refused = await bundle("--new-key");
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`${wrong}:`)]);
    expect(refused.err).toContain('"reason" is not known here. Did you mean "message"?');
    expect(existsSync(key)).toBe(false);
    rmSync(wrong);
    const first = await bundle("--new-key", "--signer", "Acme");
    expect([first.code, first.err]).toEqual([0, expect.stringContaining("policy@1 (stable)")]);
    const publicKey = first.out.trim();
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(await bundle("--new-key")).toMatchObject({ code: 1, err: expect.stringContaining("a key already") });
    expect((await bundle("--not-after", "30d")).err).toContain("policy@2 (stable)");
    const before = readFileSync(join(home.folder, "dist/stable.bundle"));
    for (const over of ["2020-01-01", "0d"])
      expect(await bundle("--not-after", over)).toMatchObject({
        code: 2,
        err: expect.stringMatching(`--not-after ${over}.* is over already`),
      });
    home.write("policy/bad.toml", wordRule("bad", "wget").replace('"ls"', '"wget"'));
    expect(await bundle()).toMatchObject({ code: 1, err: expect.stringContaining("catches its example") });
    expect(readFileSync(join(home.folder, "dist/stable.bundle")).equals(before)).toBe(true);

    expect(await home.run("policy", "status")).toMatchObject({
      code: 0,
      err: expect.stringMatching(/No signed bundle is configured.*docs\/policy\.md/),
    });
    home.write(CONFIG, `[policy]\nfrom = "${join(home.folder, "dist")}"\nonStale = "loose"\n`);
    expect(await home.run("policy", "status")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/hookline\.toml:3.*onStale(.|\n)*no signed bundle is used(.|\n)*\nRun: /),
    });
    home.write(CONFIG, `${wordRule("mine", "nmap")}[policy]\nfrom = "${join(home.folder, "dist")}"\nkey = "${publicKey}"\n`);
    expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
    const status = await home.run("policy", "status");
    expect([status.code, status.out]).toEqual([0, expect.stringMatching(/serial 2\nsigner {5}\S+ \(SHA256:/)]);
    mkdirSync(join(home.folder, ".hookline"));
    writeFileSync(join(home.folder, ".hookline/hookline.toml"), wordRule("ours", "ssh"), { mode: 0o600 });
    expect(await runAsShown(home, "hooks", "trust", "hookline.toml")).toMatchObject({ code: 0 });
    const { out } = await home.run("config", "show", "--origin");
    const origins = out.split("\n").filter((line) => /name = /.test(line));
    expect(origins).toEqual([
      expect.stringMatching(/^fleet\.rule\[0\]\.name = "no-curl" {2}# fleet policy@2\/rules\.toml:2$/),
      expect.stringMatching(/^rule\[0\]\.name = "mine" {2}# .*hookline\.toml:2$/),
      expect.stringMatching(/^project\.rule\[0\]\.name = "ours" {2}# .*\.hookline\/hookline\.toml:2$/),
    ]);
    expect((await home.run("rules", "list")).out).toMatch(/^no-curl \(fleet\) +block .* active .*\nmine +block .* active/m);
    for (const word of ["disable", "enable", "promote"])
      expect(await home.run("rules", word, "no-curl")).toMatchObject({ code: 1, err: expect.stringContaining("signed bundle policy@2") });
    const paused = await home.run("pause", "--for", "1m");
    expect(paused).toMatchObject({ code: 0, err: expect.stringContaining("The guards of the bundle policy still decide") });
    expect(await home.run("resume")).toMatchObject({ code: 0 });
    writeFileSync(join(home.folder, "dist/stable.bundle"), "not a bundle");
    await expect.poll(async () => (await home.run("policy", "status")).err).toContain("not signed");
    expect(await home.run("status")).toMatchObject({ err: expect.stringContaining("hookline policy status") });
    await home.run("down");
    expect(JSON.parse((await home.run("policy", "status", "--json")).out)).toMatchObject({ bundle: { serial: 2 } });
  });
});
