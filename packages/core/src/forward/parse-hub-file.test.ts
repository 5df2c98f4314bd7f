import { describe, expect, it } from "vitest";
import { checkHubFile, type HubFile, type ParsedHubFile, parseHubFile } from "./parse-hub-file.js";

const good: HubFile = {
  url: "http://127.0.0.1:4665",
  line: "/run/user/1000/hookline/line.sock",
  http: "/run/user/1000/hookline/http.sock",
  token: "s3cr3t-t0ken-of-the-hub",
  pid: 4242,
  startedAt: "2026-01-31T12:00:00.000Z",
  instance: "0f8c-1",
};
const text = JSON.stringify(good);
const parse = (content: string | Uint8Array): ParsedHubFile => parseHubFile(Buffer.from(content as string));
const swap = (name: keyof HubFile, value: unknown): [string, string] => [
  `${name}: ${JSON.stringify(value)?.slice(0, 60)}`,
  JSON.stringify({ ...good, [name]: value }),
];
const names = Object.keys(good) as (keyof HubFile)[];

const badUrls = [
  ..."http://0.0.0.0:1 http://10.0.0.1:1 http://192.168.1.5:4665 http://169.254.169.254 http://example.com http://localhost:4665".split(
    " ",
  ),
  ..."http://127.0.0.1.evil.example:1 http://127.0.0.1@evil.example http://user:pw@127.0.0.1:1 http://user@127.0.0.1:1".split(" "),
  ..."https://127.0.0.1:1 ftp://127.0.0.1 file:///etc/passwd javascript:alert(1) //127.0.0.1:1 127.0.0.1:4665 http://127.1:1".split(" "),
  ..."http://2130706433:1 http://0x7f.0.0.1:1 http://[::]:1 http://[::ffff:10.0.0.1]:1 http://[::ffff:127.0.0.1]:1 http://[fe80::1]:1".split(
    " ",
  ),
  ..."http://127.0.0.1:0 http://127.0.0.1:65536 http://127.0.0.1:99999 http://127.0.0.999:1 http://127.0.0.1:-1 HTTP://127.0.0.1:1".split(
    " ",
  ),
  ..."http://127.0.0.1:1/path http://127.0.0.1:1?q=1 http://127.0.0.1:1#f http://127.0.0.1:1\\@evil.example http:127.0.0.1".split(" "),
  ...["", " http://127.0.0.1:1", "http://127.0.0.1:1\n", "http://127.0.0.1:1\r\nX: y", "http://127.0.0.1:1\0", "http://127。0.0.1:1"],
];
const badPaths = [
  "",
  "line.sock",
  "./line.sock",
  "../line.sock",
  "~/line.sock",
  "/a\0b",
  "/a\nb",
  "/a\u007f",
  "/\ud800",
  `/${"a".repeat(4096)}`,
];
const badTokens = [
  "",
  "short",
  "with space in the token",
  "line\r\nbreak-in-the-token",
  "nul\0nul\0nul\0nul\0nul",
  "é".repeat(20),
  "a".repeat(2000),
];
const badPids = [0, -1, -4242, 1.5, 2 ** 31, 2 ** 53, 1e300];
const badTimes = ["", "yesterday", "2026-01-31", "2026-13-31T12:00:00Z", "2026-01-31T12:00:00", "2026-01-31T12:00:00+01:00", "1769860800"];
const badInstances = ["", "a b", "a\nb", "../../etc", "a".repeat(129)];
const wrongTypes = [null, true, 7.5, [], {}, ["http://127.0.0.1:1"]];

const contents: [string, string | Uint8Array][] = [
  ["nothing", ""],
  ["blanks", " \n\t"],
  ["NULs", "\0".repeat(100)],
  ["a byte order mark", `\ufeff${text}`],
  ["UTF-16", Buffer.from(`\ufeff${text}`, "utf16le")],
  ["invalid UTF-8", Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])],
  ["invalid UTF-8 in a path", Buffer.from(text.replace("line.sock", "\u00ff.sock"), "latin1")],
  ["half a file", text.slice(0, 80)],
  ["two objects", text + text],
  ["something after it", `${text}x`],
  ["a NUL after it", `${text}\0`],
  ["a comment", `// hub\n${text}`],
  ["a comma too many", text.replace(/}$/, ",}")],
  ["single quotes", text.replaceAll('"', "'")],
  ["an array", `[${text}]`],
  ["null", "null"],
  ["a number", "4242"],
  ["a string", JSON.stringify(text)],
  ["no keys", "{}"],
  ["a deep array", "[".repeat(30_000) + "]".repeat(30_000)],
  ["an open deep object", '{"url":'.repeat(9000)],
  ["all of it in __proto__", `{"__proto__":${text}}`],
  ["all of it in constructor.prototype", `{"constructor":{"prototype":${text}}}`],
  ["keys in other letters", text.toUpperCase()],
  ["a second, bad url", text.replace(/}$/, ',"url":"http://evil.example"}')],
  ...names.map((name): [string, string] => [`no ${name}`, JSON.stringify({ ...good, [name]: undefined })]),
];
const bad: [string, string | Uint8Array][] = [
  ...contents,
  ...names.flatMap((name) => wrongTypes.map((value) => swap(name, value))),
  swap("pid", "4242"),
  ...badUrls.map((value) => swap("url", value)),
  ...badPaths.flatMap((value) => [swap("line", value), swap("http", value)]),
  ...badTokens.map((value) => swap("token", value)),
  ...badPids.map((value) => swap("pid", value)),
  ...badTimes.map((value) => swap("startedAt", value)),
  ...badInstances.map((value) => swap("instance", value)),
];

describe("parseHubFile", () => {
  it("reads what a hub writes", () => expect(parse(`${text}\n`)).toEqual({ file: good }));

  it("has more than 60 ways to be bad", () => expect(bad.length).toBeGreaterThan(60));

  it.each(bad)("refuses %s in words that quote nothing", (_, content) => {
    const parsed = parse(content);
    expect(parsed).toEqual({ reason: expect.stringMatching(/^(it is not|"\w+" (is missing|must be))/) });
    expect(JSON.stringify(parsed)).not.toMatch(/s3cr3t|evil|break|pw@/);
    expect({}).not.toHaveProperty("token");
  });

  it.each(["http://127.0.0.1", "http://127.0.0.1:80", "http://127.255.0.3:65535/", "http://[::1]:4665"])("takes %s", (url) => {
    expect(checkHubFile({ ...good, url })).toEqual({ file: { ...good, url } });
  });

  it("leaves out what a later version adds, and prototypes alone", () => {
    const parsed = parse(text.replace(/^{/, '{"version":9,"__proto__":{"admin":true},"constructor":1,"nested":{"a":[1]},'));
    expect(parsed).toEqual({ file: good });
    const { file } = parsed as { file: HubFile };
    expect(Object.getPrototypeOf(file)).toBe(Object.prototype);
    expect(Object.keys(file)).toEqual(names);
    expect({}).not.toHaveProperty("admin");
  });

  it("takes nothing that is inherited", () => {
    expect(checkHubFile(Object.create(good))).toEqual({ reason: '"url" is missing' });
  });

  it("checks the one it takes of two equal keys", () => {
    expect(parse(text.replace(/^{/, '{"url":"http://evil.example",'))).toEqual({ file: good });
  });
});
