import type { LookupFunction } from "node:net";
import { describe, expect, it } from "vitest";
import { forbiddenHosts } from "../../../../../test/support/internal-hosts.js";
import { kindOf, refusalOf } from "./address.js";
import { guardLookup } from "./guarded-lookup.js";
import { parseTarget } from "./target.js";

const open = { allowPrivate: true, isLoopbackOnly: false };
const rules = { allowPrivate: true, allowHttp: true };

describe("kindOf", () => {
  const kinds: [ReturnType<typeof kindOf>, string[]][] = [
    [
      "metadata",
      ["169.254.169.254", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "fd00:ec2::254", "100.100.100.200", "0:0:0:0:0:FFFF:A9FE:A9FE"],
    ],
    ["link-local", ["169.254.0.1", "169.254.170.2", "fe80::1", "fe80::1%eth0", "febf:ffff::1", "::ffff:169.254.1.1"]],
    ["unspecified", ["0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0", "0:0:0:0:0:0:0:0"]],
    ["multicast", ["224.0.0.1", "239.255.255.255", "ff02::1"]],
    ["reserved", ["240.0.0.1", "255.255.255.255", "::ffff:255.255.255.255"]],
    ["loopback", ["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"]],
    ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd12::1", "::ffff:10.0.0.1"]],
    ["public", ["8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]],
    [
      "translated",
      ["64:ff9b::a9fe:a9fe", "64:ff9b:1::169.254.169.254", "2002:a9fe:a9fe::1", "2002:7f00:1::", "::169.254.169.254", "::ffff:0:a9fe:a9fe"],
    ],
    ["translated", ["2001:0:808:808::5601:5601"]],
    [undefined, ["", "localhost", "0x7f.1", "2130706433", "0251.0376.0251.0376", "1.2.3", "127.0.0.1.", "[::1]"]],
  ];
  for (const [kind, addresses] of kinds)
    it(`knows ${kind ?? "what is no"} address`, () => {
      expect(Object.fromEntries(addresses.map((address) => [address, kindOf(address)]))).toEqual(
        Object.fromEntries(addresses.map((address) => [address, kind])),
      );
    });
});

describe("refusalOf", () => {
  it("lets private and loopback addresses pass unless told otherwise", () => {
    for (const address of ["10.0.0.1", "127.0.0.1", "::1", "8.8.8.8"]) expect(refusalOf(address, open)).toBeUndefined();
    for (const address of ["10.0.0.1", "127.0.0.1", "::1"]) expect(refusalOf(address, { ...open, allowPrivate: false })).toBeDefined();
    expect(refusalOf("8.8.8.8", { ...open, allowPrivate: false })).toBeUndefined();
  });

  it("keeps plain http on the machine, also by a detour", () => {
    const local = { ...open, isLoopbackOnly: true };
    expect(refusalOf("::ffff:127.0.0.1", local)).toBeUndefined();
    for (const address of ["10.0.0.1", "8.8.8.8", "2002:7f00:1::"]) expect(refusalOf(address, local)).toBeDefined();
  });
});

describe("parseTarget", () => {
  for (const host of forbiddenHosts)
    it(`refuses ${host}`, () => {
      for (const scheme of ["http", "https"])
        expect(() => parseTarget(`${scheme}://${host}/x`, rules)).toThrow(expect.objectContaining({ code: "HL_WEBHOOK_TARGET" }));
    });

  it("refuses private spellings of loopback with allowPrivate: false", () => {
    for (const host of ["127.1", "0x7f000001", "2130706433", "017700000001", "[::1]", "10.1", "[::ffff:10.0.0.1]"])
      expect(() => parseTarget(`https://${host}/`, { ...rules, allowPrivate: false })).toThrow(/private|loopback/);
  });

  it("wants https beyond loopback", () => {
    const strict = { allowPrivate: true, allowHttp: false };
    for (const host of ["example.com", "10.0.0.1", "localhost.example.com"])
      expect(() => parseTarget(`http://${host}/`, strict)).toThrow(/plain http/);
    for (const host of ["localhost", "127.0.0.1", "[::1]", "app.localhost"])
      expect(parseTarget(`http://${host}/`, strict).policy.isLoopbackOnly).toBe(true);
    expect(parseTarget("https://example.com/", strict).policy.isLoopbackOnly).toBe(false);
  });

  it("refuses credentials and anything but a web address, without quoting them", () => {
    for (const url of [
      "",
      "hook",
      "ftp://x/hunter22",
      "file:///hunter22",
      "https://user:hunter22@example.com/",
      "https://hunter22@example.com",
    ]) {
      expect(() => parseTarget(url, rules)).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
      expect(() => parseTarget(url, rules)).not.toThrow(/hunter22/);
    }
  });

  it("has a label without query and tokens", () => {
    const { label, secrets } = parseTarget("https://example.com/services/T0001/abcdef0123456789XYZ?token=hunter22#top", rules);
    expect(label).toBe("https://example.com/services/T0001/***?***");
    expect(secrets).toEqual(expect.arrayContaining(["hunter22", "abcdef0123456789XYZ"]));
  });
});

describe("guardLookup", () => {
  const resolver =
    (...addresses: string[]): LookupFunction =>
    (_, __, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
  const ask = (lookup: LookupFunction, all: boolean) =>
    new Promise((resolve) => guardLookup(lookup, open)("host.test", { all }, (error, found, family) => resolve(error ?? [found, family])));

  it("hands out only addresses that may be dialled, with their true family", async () => {
    const lookup = resolver("169.254.169.254", "::ffff:a9fe:a9fe", "2606:4700::1111", "fe80::1%eth0", "not an address");
    expect(await ask(lookup, true)).toEqual([[{ address: "2606:4700::1111", family: 6 }], undefined]);
    expect(await ask(lookup, false)).toEqual(["2606:4700::1111", 6]);
  });

  it("fails when none is left, when there is none, and when the resolver fails or throws", async () => {
    expect(await ask(resolver("169.254.1.1"), true)).toMatchObject({
      code: "HL_WEBHOOK_TARGET",
      message: expect.stringMatching(/host\.test.*link-local/),
    });
    expect(await ask(resolver("0x7f.1"), false)).toMatchObject({ code: "HL_WEBHOOK_TARGET" });
    expect(await ask(resolver(), false)).toMatchObject({ code: "HL_WEBHOOK_UNREACHABLE" });
    expect(await ask((_, __, callback) => callback(new Error("no resolver"), []), true)).toMatchObject({ message: "no resolver" });
    const throwing = () => {
      throw new Error("at once");
    };
    expect(await ask(throwing, true)).toMatchObject({ message: "at once" });
  });

  it("understands a resolver that ignores `all`", async () => {
    expect(await ask((_, __, callback) => callback(null, "10.0.0.1", 4), true)).toEqual([[{ address: "10.0.0.1", family: 4 }], undefined]);
  });
});
