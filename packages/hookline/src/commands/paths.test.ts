import { describe, expect, it } from "vitest";
import type { PathFact } from "./facts.js";
import { joinPath, pathMatches, resolvePath } from "./paths.js";
import { literal } from "./value.js";

describe("joinPath", () => {
  const joined: [string, string, string][] = [
    ["/a", "b", "/a/b"],
    ["/a", "/b", "/b"],
    ["/a/b", "../c", "/a/c"],
    ["/", "..", "/"],
    ["/a", "..//./b/", "/b"],
    [".", "a", "a"],
    [".", "a/..", "."],
    [".", "../../x", "../../x"],
    ["a", "..", "."],
  ];
  for (const [dir, path, expected] of joined) it(`${path} in ${dir}`, () => expect(joinPath(dir, path)).toBe(expected));
});

describe("pathMatches", () => {
  const known = (path: string): PathFact => ({ path });
  const glob = (path: string): PathFact => ({ path, glob: true });
  const open = (path: string): PathFact => ({ path, unknown: "X is not set" });
  const cases: [PathFact, string, boolean | "unknown"][] = [
    [known("/etc/passwd"), "/etc/passwd", true],
    [known("/etc/passwd"), "/etc/**", true],
    [known("/etc/passwd"), "/etc/*", true],
    [known("/etc/a/b"), "/etc/*", false],
    [known("/a*"), "/ab", false],
    [known("/a*"), "/a\\*", true],
    [known("/etcetera"), "/etc/**", false],
    [glob("/home/*"), "/home/ann", true],
    [glob("/home/*/x"), "/home/ann", false],
    [glob("/h?me/[a-c]nn"), "/home/ann", true],
    [glob("/home/a*n"), "/home/*b*", true],
    [glob("/**"), "/", true],
    [glob("/a*???"), "/abcd", true],
    [glob("/a*???"), "/abc", false],
    [glob("/a*c"), "/a*d", false],
    [glob("/a*bc"), "/a*c", true],
    [glob("/*a"), "/*ba", true],
    [glob("/ab*ab"), "/ab", false],
    [open("**"), "/", "unknown"],
    [open("/tmp/**"), "/", false],
    [open("/tmp/**"), "/tmp/**", "unknown"],
    [open("**/node_modules"), "/etc", false],
  ];
  for (const [path, pattern, expected] of cases) it(`${path.path} and ${pattern}`, () => expect(pathMatches(path, pattern)).toBe(expected));

  it("does not compare what is too long", () => {
    expect(pathMatches(glob(`/${"*a".repeat(200)}`), `/${"*b*a".repeat(100)}`)).toBe(true);
    expect(pathMatches(glob(`/${"*a".repeat(2000)}`), `/${"*b*a".repeat(1000)}`)).toBe("unknown");
  });
});

describe("resolvePath", () => {
  it("takes no path from an empty word", () => {
    expect(resolvePath(literal(""), { path: "/a" })).toBeUndefined();
  });

  it("keeps what a folder leaves open", () => {
    expect(resolvePath(literal("a"), { path: "**", unknown: "X is not set" })).toEqual({ path: "**/a", unknown: "X is not set" });
    expect(resolvePath(literal("/a"), { path: "**", unknown: "X is not set" })).toEqual({ path: "/a" });
  });
});
