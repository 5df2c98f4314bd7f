import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { readTar } from "../../rules/pack/tar.js";

// The built command line, with packs in a folder of their own.
const home = createCliHome();
afterAll(() => home.close());
const config = join(home.folder, "config/hookline/hookline.toml");
const own = '# mine\n[[rule]]\nname = "own"\ndo = "block"\n\n[hub]\nport = 4100\n';
const rule = (name: string, word: string, more = "") =>
  `[[rule]]\nname = "acme/${name}"\nmatch = "tool.input.command contains ${word}"\ndo = "block"\n${more}[rule.examples]\ncatches = ["${word} x"]\npasses = ["ls"]\n`;

function makePack(files: { readonly [name: string]: string }, version = "1.0.0"): string {
  const folder = join(testFolder(), "acme");
  mkdirSync(join(folder, "more"), { recursive: true });
  writeFileSync(join(folder, "pack.toml"), `name = "acme"\nversion = "${version}"\n`);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
const listed = async () =>
  JSON.parse((await home.run("rules", "list", "--json")).out) as { name: string; pack?: string; signer?: string }[];

describe("a pack", () => {
  it("is signed, added, upgraded with what changes, shown with its signer, and removed", async () => {
    home.write("config/hookline/hookline.toml", own);
    const folder = makePack({ "rules.toml": rule("a", "aaa") + rule("b", "bbb"), "more/c.toml": rule("c", "ccc") });
    expect(await home.run("rules", "add", folder)).toMatchObject({ code: 1, err: expect.stringContaining("is not signed") });
    expect(await home.run("rules", "sign", folder)).toMatchObject({ code: 1, err: expect.stringContaining("There is no key") });
    const signed = await home.run("rules", "sign", folder, "--new-key", "--name", "Acme");
    const fingerprint = signed.out.trim();
    expect([signed.code, fingerprint]).toEqual([0, expect.stringMatching(/^SHA256:[\w-]{43}$/)]);
    expect(await home.run("rules", "sign", folder, "--new-key")).toMatchObject({ code: 1, err: expect.stringContaining("a key already") });

    expect(await home.run("rules", "add", folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`signed by Acme (${fingerprint})`),
    });
    expect(await home.run("rules", "add", folder, "--signer", "SHA256:other")).toMatchObject({ code: 1 });
    expect(readFileSync(config, "utf8")).toBe(own);
    expect(await home.run("rules", "add", folder, "--signer", fingerprint)).toMatchObject({
      code: 0,
      out: "+ acme/c\n+ acme/a\n+ acme/b\n",
    });
    const [first, ...packed] = await listed();
    expect(first).not.toHaveProperty("pack");
    expect(packed).toMatchObject(
      ["c", "a", "b"].map((name) => ({ name: `acme/${name}`, pack: "acme@1.0.0", signer: `signed by Acme (${fingerprint})` })),
    );
    expect((await home.run("rules", "list")).err).toContain(`acme@1.0.0: 3 rules, signed by Acme (${fingerprint})`);
    expect(await home.run("rules", "add", folder)).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("No rule is different."),
    });

    // The signer is known now. A tarball is the same pack.
    const next = makePack({ "rules.toml": rule("a", "aaa", 'message = "no"\n') + rule("d", "ddd") }, "1.1.0");
    expect(await home.run("rules", "sign", next, "--name", "Acme")).toMatchObject({ code: 0 });
    const tarball = join(testFolder(), "acme.tgz");
    spawnSync("tar", ["-czf", tarball, "-C", join(next, ".."), "acme"]);
    expect(await home.run("rules", "add", tarball)).toMatchObject({ code: 0, out: "+ acme/d\n~ acme/a\n- acme/c\n- acme/b\n" });
    expect(await home.run("rules", "add", folder)).toMatchObject({ code: 1, err: expect.stringContaining("older 1.0.0") });

    // One byte that the signer did not see, a file more, or a file less.
    for (const change of [
      (at: string) => writeFileSync(join(at, "rules.toml"), rule("a", "zzz")),
      (at: string) => writeFileSync(join(at, "new.toml"), rule("z", "zzz")),
      (at: string) => rmSync(join(at, "rules.toml")),
      (at: string) => writeFileSync(join(at, "pack.sig"), readFileSync(join(at, "pack.sig"), "utf8").replace("Acme", "Acne")),
    ]) {
      const copy = join(testFolder(), "acme");
      cpSync(next, copy, { recursive: true });
      change(copy);
      expect(await home.run("rules", "add", copy)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/signature .* is wrong|has no rules/),
      });
    }
    expect(await home.run("rules", "add", makePack({ "rules.toml": rule("a", "aaa") }, "2.0.0"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not signed. Its version 1.1.0 is signed by Acme"),
    });

    expect(await home.run("rules", "remove", "acmee")).toMatchObject({ code: 1, err: expect.stringContaining('Did you mean "acme"?') });
    expect(await home.run("rules", "remove", "acme")).toMatchObject({ code: 0, out: "- acme/a\n- acme/d\n" });
    expect(readFileSync(config, "utf8").trimEnd()).toBe(own.trimEnd());
    expect(await listed()).toHaveLength(1);
  });

  it.each<[string, { readonly [name: string]: string }, RegExp]>([
    ["whose example is wrong", { "rules.toml": rule("a", "aaa").replace("aaa x", "bbb") }, /does not catch its example "bbb"/],
    ["without examples", { "rules.toml": rule("a", "aaa").split("[rule.examples]")[0] ?? "" }, /has no example of what it catches/],
    ["with a foreign name", { "rules.toml": rule("a", "aaa").replace("acme/a", "own") }, /must be called "acme\/…"/],
    ["with other tables", { "rules.toml": `${rule("a", "aaa")}[policy]\nautoAccept = "all"\n` }, /\[\[rule\]\] tables only/],
    ["with a broken rule", { "rules.toml": rule("a", "aaa").replace("block", "blok") }, /Did you mean "block"/],
    ["without a version", { "pack.toml": 'name = "acme"\n', "rules.toml": rule("a", "aaa") }, /"version"/],
  ])("%s is refused, and nothing is changed", async (_, files, expected) => {
    home.write("config/hookline/hookline.toml", own);
    expect(await home.run("rules", "add", makePack(files), "--unsigned")).toMatchObject({ code: 1, err: expect.stringMatching(expected) });
    expect(readFileSync(config, "utf8")).toBe(own);
  });

  it("with a link is refused as a folder", async () => {
    const folder = makePack({ "rules.toml": rule("a", "aaa") });
    symlinkSync("/etc/passwd", join(folder, "link.toml"));
    expect(await home.run("rules", "add", folder, "--unsigned")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is a link or a device"),
    });
  });
});

/** One entry of a tarball, with a right checksum. */
function entry(name: string, content: string | Buffer = "", type = "0", size = Buffer.byteLength(content)): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write(type, 156);
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
  Buffer.from(content).copy(body);
  return Buffer.concat([header, body]);
}
const end = Buffer.alloc(1024);

describe("a tarball", () => {
  it("gives its files, without the folder that they are all in and without hidden ones", () => {
    const tar = Buffer.concat([
      entry("acme/", "", "5"),
      entry("acme/pack.toml", "a"),
      entry("acme/.git", "x"),
      entry("acme/r/b.toml", "b"),
      end,
    ]);
    for (const bytes of [tar, gzipSync(tar)])
      expect([...readTar(bytes)].map(([name, content]) => [name, String(content)])).toEqual([
        ["pack.toml", "a"],
        ["r/b.toml", "b"],
      ]);
  });

  it.each<[string, Buffer, RegExp]>([
    ["..", entry("../x.toml", "a"), /leads out of the pack/],
    [".. within", entry("a/../../x.toml", "a"), /leads out of the pack/],
    ["an absolute name", entry("/etc/x.toml", "a"), /leads out of the pack/],
    ["a drive", entry("C:x.toml", "a"), /leads out of the pack/],
    ["a backslash", entry("..\\x.toml", "a"), /leads out of the pack/],
    ["a control character", entry("a\x1b[2J.toml", "a"), /leads out of the pack/],
    ["a folder with ..", entry("../up/", "", "5"), /leads out of the pack/],
    ["a symbolic link", entry("x.toml", "", "2"), /link or a device/],
    ["a hard link", entry("x.toml", "", "1"), /link or a device/],
    ["a hidden link", entry(".x", "", "2"), /link or a device/],
    ["a device", entry("x.toml", "", "3"), /link or a device/],
    ["a name twice", Buffer.concat([entry("x.toml", "a"), entry("x.toml", "b")]), /twice/],
    ["a renaming header", entry("h", "21 path=../../x.toml\n", "x"), /extended headers/],
    ["a size beyond its end", entry("x.toml", "a", "0", 9_999), /in the middle of a file/],
    ["a wrong checksum", Buffer.concat([Buffer.from("zz"), entry("x.toml", "a").subarray(2)]), /wrong checksum/],
    ["a large file", entry("x.toml", "a".repeat(1_048_577)), /more than 1048576 bytes/],
    ["many files", Buffer.concat(Array.from({ length: 201 }, (_, index) => entry(`f${index}`))), /at most 200 files/],
  ])("with %s is refused", (_, bytes, expected) => expect(() => readTar(Buffer.concat([bytes, end]))).toThrow(expected));

  it("that unpacks without end is refused after its limit", () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));
    expect(() => readTar(bomb)).toThrow(/unpacks to more than 8388608 bytes/);
    expect(() => readTar(gzipSync(end).subarray(0, 12))).toThrow(/cannot be decompressed/);
  });
});
