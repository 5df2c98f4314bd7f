import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { putFiles } from "../../../../test/support/hook-files.js";
import { createPolicyAuthor } from "../../../../test/support/policy-bundle.js";
import { testFolder } from "../../../../test/support/test-folder.js";
import { DAY_MS, wordRule } from "../../../../test/support/word-rule.js";
import { readTar, writeTar } from "../rules/pack/tar.js";
import { BUNDLE_LIMITS, buildBundle, packBundle, readBundle } from "./bundle.js";
import { openBundle, readBundleRules } from "./bundle-content.js";

const author = createPolicyAuthor();
const files = {
  "rules.toml": wordRule("no-curl", "curl"),
  "hooks/guard/HOOK.yaml": "name: guard\nevents: [tool:before]\nonFailure: closed\n",
  "hooks/guard/handler.mjs": "export const handle = () => undefined;\n",
};
const options = { name: "acme", channel: "stable", serial: 3, notAfter: Date.now() + DAY_MS, signer: { name: "Acme", key: author.key } };
const good = author.build(files, { serial: 3 });

/** The archive with other bytes, files or headers. */
function repacked(change: (all: Map<string, Buffer>) => void): Buffer {
  const all = new Map(readTar(good, BUNDLE_LIMITS));
  change(all);
  return writeTar(all);
}

/** One header of the archive, changed, with its checksum made right again. */
function withHeader(change: (header: Buffer) => void): Buffer {
  const tar = gunzipSync(good);
  const header = tar.subarray(0, 512);
  change(header);
  header.write("        ", 148, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return gzipSync(tar);
}

describe("a bundle", () => {
  it("says what it is, is the same for the same files, and keeps what is executable", () => {
    const folder = putFiles(join(testFolder(), "policy"), { ...files, "hooks/guard/run.sh": "#!/bin/sh\n" });
    chmodSync(join(folder, "hooks/guard/run.sh"), 0o755);
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git/config"), "secret");
    const [first, second] = [buildBundle(folder, options), buildBundle(folder, options)];
    expect(first.equals(second)).toBe(true);
    const bundle = readBundle(first);
    expect(bundle).toMatchObject({ name: "acme", channel: "stable", serial: 3, notAfter: options.notAfter, signer: { name: "Acme" } });
    expect(bundle.signer.key).toBe(author.publicKey);
    expect([...bundle.files.keys()].sort()).toEqual([...Object.keys(files), "hooks/guard/run.sh"].sort());
    expect([...bundle.executables]).toEqual(["hooks/guard/run.sh"]);
    expect(readBundle(packBundle(bundle.files, bundle.executables, options)).digest).toBe(bundle.digest);
    expect(readBundle(packBundle(bundle.files, bundle.executables, { ...options, serial: 4 })).digest).not.toBe(bundle.digest);
  });

  it("needs a folder", () => {
    const none = join(testFolder(), "none");
    expect(() => buildBundle(none, options)).toThrow(`There is no folder "${none}".`);
  });

  it("is unpacked into a private, read-only copy, with long paths", async () => {
    const deep = `hooks/guard/${"deep/".repeat(30)}data.json`;
    const content = await openBundle(readBundle(author.build({ ...files, [deep]: "{}" })), testFolder());
    expect(content.rules.map(({ name, file, line }) => [name, file, line])).toEqual([["no-curl", "acme@1/rules.toml", 1]]);
    expect(content.hooks).toMatchObject([{ id: "fleet policy/guard", name: "guard", from: "fleet", state: "active" }]);
  });

  const hostile: [string, () => Buffer, string][] = [
    ["a cut file", () => good.subarray(0, good.length - 20), "cannot be decompressed"],
    ["a cut archive", () => gzipSync(gunzipSync(good).subarray(0, 700)), "ends in the middle"],
    ["no bytes at all", () => Buffer.alloc(0), "not signed"],
    ["a changed file", () => repacked((all) => all.set("rules.toml", Buffer.from(""))), "not what its signer signed"],
    ["a file more", () => repacked((all) => all.set("more.toml", Buffer.from(""))), "not what its signer signed"],
    ["a file less", () => repacked((all) => all.delete("rules.toml")), "not what its signer signed"],
    ["no signature", () => repacked((all) => all.delete("bundle.sig")), "not signed"],
    [
      "another serial under the old signature",
      () => repacked((all) => all.set("bundle.json", Buffer.from(String(all.get("bundle.json")).replace('"serial": 3', '"serial": 9')))),
      "not what its signer signed",
    ],
    ["a path that leads out", () => withHeader((header) => void header.write("../../evil\0", 0)), "leads out of the bundle"],
    ["an absolute path", () => withHeader((header) => void header.write("/etc/passwd\0", 0)), "leads out of the bundle"],
    ["a symbolic link", () => withHeader((header) => void header.write("2", 156)), "a link or a device"],
    ["a hard link", () => withHeader((header) => void header.write("1", 156)), "a link or a device"],
    ["a device", () => withHeader((header) => void header.write("3", 156)), "a link or a device"],
    ["more bytes than fit", () => gzipSync(Buffer.alloc(BUNDLE_LIMITS.totalBytes + 1)), "unpacks to more than"],
    [
      "more files than fit",
      () => writeTar(new Map(Array.from({ length: BUNDLE_LIMITS.files + 1 }, (_, index) => [`f${index}`, Buffer.alloc(0)]))),
      "at most 2000 files",
    ],
  ];
  it.each(hostile)("with %s is refused", (_, make, message) => {
    expect(() => readBundle(make())).toThrow(expect.objectContaining({ code: "HL_BUNDLE", message: expect.stringContaining(message) }));
  });

  it("is not made of a folder with links", () => {
    const folder = putFiles(join(testFolder(), "policy"), files);
    symlinkSync("/etc/passwd", join(folder, "rules2.toml"));
    expect(() => buildBundle(folder, options)).toThrow("a link or a device");
  });

  it("is valid only as a whole: one wrong rule, table or name refuses it", async () => {
    const read = (given: { readonly [path: string]: string }) => readBundleRules(readBundle(author.build(given)));
    const wrong: [string, { readonly [path: string]: string }][] = [
      ["deny", { "a.toml": '[[rule]]\nname = "x"\ndo = "deny"\n' }],
      ["tables only", { "a.toml": "[hub]\nport = 1\n" }],
      ["tables only", { "a.toml": '[[hook]]\nname = "x"\nevent = "tool:before"\ncommand = "true"\n' }],
      ["tables only", { "a.toml": '[[notify]]\ntype = "desktop"\n' }],
      ["tables only", { "a.toml": '[policy]\nautoAccept = "all"\n' }],
      ["Two rules", { "a.toml": wordRule("same", "a"), "rules/b.toml": wordRule("same", "b") }],
    ];
    for (const [message, given] of wrong) await expect(read(given), message).rejects.toThrow(message);
    const rules = await read({
      "paths.toml": '[paths]\nsecrets = ["~/vault/**"]\n',
      "rules/a.toml": '[[rule]]\nname = "vault"\ndo = "block"\ncommand = { reads = ["@secrets"] }\n',
    });
    expect(rules).toMatchObject([{ name: "vault", file: "acme@1/rules/a.toml", sets: { secrets: ["~/vault/**"] } }]);
  });
});
