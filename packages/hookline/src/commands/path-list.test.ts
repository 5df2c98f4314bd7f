import { describe, expect, it } from "vitest";
import type { PathFact } from "./facts.js";
import { compilePathList } from "./path-list.js";
import type { PathUse } from "./path-subject.js";

const at = (path: string): PathFact => ({ path });
const glob = (path: string): PathFact => ({ path, glob: true });
const open = (path: string): PathFact => ({ path, unknown: "why" });
const deep: PathUse = { isRecursive: true };
const inside: PathUse = { cwd: "/home/ann/app" };
const deepInside: PathUse = { ...inside, isRecursive: true };

type Row = readonly [path: PathFact, expected: boolean | string, use?: PathUse];

const tables: { readonly [list: string]: readonly Row[] } = {
  "/etc/**": [
    [at("/etc/hosts"), true],
    [at("/etc"), true],
    [at("/ETC/a/b"), true],
    [at("/app/etc/a"), false],
    [at("/"), false],
    [at("/"), true, deep],
    [glob("/*"), true, deep],
    [open("/etc/**"), true],
    [open("**"), "why"],
    [open("**/log"), false],
    [open("**/etc"), "why"],
  ],
  "~/.npmrc": [
    [at("/home/ann/.npmrc"), true],
    [at("/root/.npmrc"), true],
    [at("/Users/ann/.npmrc"), true],
    [at("/home/ann/app/.npmrc"), false],
    [at(".npmrc"), "the folder of the call is not known"],
    [at("/home"), true, deep],
  ],
  "~": [
    [at("/home/ann"), true],
    [at("/home/ann/app"), false],
    [glob("/home/ann/*"), true, deep],
    [glob("/home/*"), true, deep],
    [open("/home/ann/**"), "why", deep],
    [open("/home/ann/a/**"), false, deep],
    [glob("/home/ann/***.log"), true],
    [glob("/home/ann/a/***.log"), false],
  ],
  ". ..": [
    [at("."), true],
    [glob("*"), true, deep],
    [glob(".*"), true, deep],
    [glob("*.log"), false, deep],
    [glob("***.log"), false, deep],
    [glob("**"), true],
    [at("build"), false, deep],
    [at(".."), true],
    [at("../.."), true],
    [at("../other"), false],
    [at("/home/ann/app"), true, inside],
    [at("/home/ann"), true, inside],
    [at("/home/ann/app/build"), false, deepInside],
    [glob("/tmp/*"), false, deep],
    [glob("/tmp/*"), true, { ...deep, dir: at("/tmp") }],
    [glob("/home/ann/app/build/*"), false, { ...deepInside, dir: at("/home/ann/app/build") }],
  ],
  ".git .ssh/** !*.pub .env .env.*": [
    [at("/x/.git"), true],
    [at(".git/config"), false],
    [at("/home/ann/.ssh/id_rsa"), true],
    [at("/home/ann/.ssh/id_rsa.pub"), false],
    [glob("/home/ann/.ssh/*"), true],
    [glob("dist/*"), false],
    [glob(".env*"), true],
    [glob("src/*.rs"), false],
    [open("**/.env"), true],
    [open("**.rs"), false],
  ],
  ".claude/settings.json": [
    [at("settings.json"), "the folder of the call is not known"],
    [at("/app/settings.json"), false],
    [at("src/settings.json"), false],
    [at(".claude/settings.json"), true],
    [at("/home/ann/.claude"), false],
    [at("/home/ann/.claude"), true, deep],
    [glob("/home/ann/.claude/*"), true, deep],
    [at("/home/ann/.claude/cache"), false, deep],
    [open("/home/ann/.claude/**"), "why", deep],
    [open("**"), "why", deep],
  ],
  ".tool/a/keys/** conf/tool.toml": [
    [at("/app/.tool"), true, deep],
    [at("/app/.tool/a"), true, deep],
    [at("/app/a"), false, deep],
    [at("/app/conf"), false, deep],
  ],
  "*.pem *-key.json token*.txt": [
    [at("/a/my.pem"), true],
    [glob("src/main.*"), false],
    [glob("readme*"), false],
    [glob("my*.pem"), true],
    [glob("m?.pem"), true],
    [glob("prod*-key.json"), true],
    [glob("prod*.json"), false],
    [glob("token_*.txt"), true],
    [glob("tok*"), true],
    [open("/a/my**"), "why"],
    [glob("/app/**my.pem"), false],
    [glob("/app/**my.pem"), true, { isRead: true }],
    [glob("/app/***.ts"), false, { isRead: true }],
    [glob("/app/**"), false, { isRead: true }],
  ],
  "!/tmp/**": [
    [at("/tmp/a"), false],
    [at("/a"), true],
    [at("."), true],
  ],
};

describe.each(Object.entries(tables))("the list %s", (list, rows) => {
  const test = compilePathList(list.split(" "));
  for (const [path, expected, use] of rows)
    it(`with ${JSON.stringify([path, use ?? {}])} is ${expected}`, () => {
      expect(test(path, use)).toBe(expected);
    });
});

describe("a set", () => {
  it("is extended, and what it leaves out stays out", () => {
    const test = compilePathList(["@secrets", "@mine"], { secrets: ["keys/**", "!.env.test"], mine: ["/data/**"] });
    expect(
      ["/app/keys/a", "/app/.env", "/app/.env.test", "/data/x", "/app/a.ts", "/app/.env.example"].map((path) => test(at(path))),
    ).toEqual([true, true, false, true, false, false]);
  });

  it("stands for everything in it with /**, and can be left out", () => {
    expect(compilePathList(["@home/**"])(at("/home/ann/a/b"))).toBe(true);
    expect(compilePathList(["@home"])(at("/home/ann/a/b"))).toBe(false);
    expect(compilePathList(["/etc/**", "!@startup"])(at("/etc/crontab"))).toBe(false);
    expect(() => compilePathList(["@sercets"])).toThrow('"@sercets" is not a set of paths');
    expect(() => compilePathList(["a/**/b"])).toThrow('"a/**/b" has "**" before its end');
  });
});

it("a folder that is moved takes along what a hidden folder holds", () => {
  const test = compilePathList([".tool/config.json", "data/config.json"]);
  expect(test({ path: "/home/ann/.tool", tree: true })).toBe(true);
  expect(test({ path: "/home/ann/.tool" })).toBe(false);
  expect(test({ path: "/home/ann/data", tree: true })).toBe(false);
});

it("a path of which nothing is known may be any file, but is not taken for a disk", () => {
  const open: PathFact = { path: "**", unknown: "not set" };
  expect(compilePathList(["/etc/passwd"])(open)).toBe("not set");
  expect(compilePathList(["/dev/sd*"])(open)).toBe(false);
  expect(compilePathList(["/dev/sd*"])({ path: "/dev/**", unknown: "not set" })).toBe("not set");
  expect(compilePathList(["/etc"])({ path: "**/..", unknown: "not set" })).toBe("not set");
});
