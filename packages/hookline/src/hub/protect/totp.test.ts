import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createTotpLimit, encodeBase32, findTotpStep, TOTP_SECRET, totpCode, totpStep } from "./totp.js";

/** The secret of RFC 6238, appendix B, for SHA-1. */
const KEY = Buffer.from("12345678901234567890");
const SECRET = encodeBase32(KEY);

describe("one-time codes", () => {
  it.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("are those of RFC 6238 at %i s", (seconds, code) => {
    const step = totpStep(seconds * 1_000);
    expect(totpCode(KEY, step, 8)).toBe(code);
    expect(findTotpStep(SECRET, code.slice(2), { nowMs: seconds * 1_000, after: 0 })).toBe(step);
  });

  it("have a secret that apps can read", () => {
    // RFC 4648, section 10, without padding.
    for (const [text, encoded] of [
      ["f", "MY"],
      ["fo", "MZXQ"],
      ["foo", "MZXW6"],
      ["foobar", "MZXW6YTBOI"],
    ] as const)
      expect(encodeBase32(Buffer.from(text))).toBe(encoded);
    expect(encodeBase32(randomBytes(20))).toMatch(TOTP_SECRET);
  });

  it("count one step early or late, and once", () => {
    const nowMs = 1_700_000_000_000;
    const now = totpStep(nowMs);
    const steps = [-2, -1, 0, 1, 2].map((by) => findTotpStep(SECRET, totpCode(KEY, now + by), { nowMs, after: 0 }));
    expect(steps).toEqual([undefined, now - 1, now, now + 1, undefined]);
    expect(findTotpStep(SECRET, totpCode(KEY, now), { nowMs, after: now })).toBeUndefined();
    expect(findTotpStep(SECRET, totpCode(KEY, now - 1), { nowMs, after: now })).toBeUndefined();
    expect(findTotpStep(SECRET, totpCode(KEY, now + 1), { nowMs, after: now })).toBe(now + 1);
    for (const code of ["", "12345", "1234567", "abcdef"]) expect(findTotpStep(SECRET, code, { nowMs, after: 0 })).toBeUndefined();
  });

  it("are not looked at after five wrong ones of a source within five minutes, or fifteen of a user", () => {
    let now = 0;
    const limit = createTotpLimit(() => now);
    for (let at = 0; at < 5; at++) {
      expect(limit.waitMs(undefined)).toBe(0);
      limit.wrong(undefined);
      now += 1_000;
    }
    expect(limit.waitMs(undefined)).toBe(295_000);
    const owner = { user: 1, session: 0 };
    limit.right(owner);
    for (let at = 0; at < 15; at++) limit.wrong({ user: 1, session: at + 1 });
    const sources = [owner, { user: 1, session: 99 }, { user: 2, session: 1 }];
    expect(sources.map(limit.waitMs)).toEqual([0, 300_000, 0]);
    for (let at = 0; at < 5; at++) limit.wrong(owner);
    expect(limit.waitMs(owner)).toBe(300_000);
    now = 305_000;
    expect([undefined, ...sources].map(limit.waitMs)).toEqual([0, 0, 0, 0]);
  });
});
