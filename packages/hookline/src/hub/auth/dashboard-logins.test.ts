import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import type { DashboardScope } from "../parts.js";
import { createDashboardLogins, SESSION_MS } from "./dashboard-logins.js";

function openLogins(state = testFolder()) {
  const clock = { now: 1_000 };
  const place = { url: "http://127.0.0.1:4665" };
  const problems: string[] = [];
  /** As a browser at that place sees them. */
  const open = () => {
    const logins = createDashboardLogins({ state, now: () => clock.now, onProblem: (text) => void problems.push(text) });
    return {
      ...logins,
      offer: (scopes: readonly DashboardScope[]) => logins.offer(scopes, place.url),
      redeem: (code: string) => logins.redeem(code, place.url),
      scopesOf: (secret: string, key: string | undefined) => logins.scopesOf(secret, key, place.url),
    };
  };
  return { state, clock, place, problems, open, file: join(state, "logins.json") };
}

describe("a code", () => {
  it("is good once", () => {
    const logins = openLogins().open();
    const code = logins.offer(["read"]);
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(logins.redeem(code)).toMatchObject({ scopes: ["read"] });
    expect(logins.redeem(code)).toBeUndefined();
    for (const wrong of ["", code.slice(1), `${code}x`, "__proto__"]) expect(logins.redeem(wrong)).toBeUndefined();
  });

  it("is good for two minutes, and not after a restart", () => {
    const { clock, open } = openLogins();
    const logins = open();
    const [late, intime, other] = [logins.offer(["read"]), logins.offer(["read"]), logins.offer(["read"])];
    clock.now += 119_999;
    expect(logins.redeem(intime)).toBeDefined();
    clock.now += 1;
    expect(logins.redeem(late)).toBeUndefined();
    expect(open().redeem(other)).toBeUndefined();
  });

  it("is good at the origin its link leads to, and nowhere else", () => {
    const { place, open } = openLogins();
    const logins = open();
    const code = logins.offer(["read"]);
    place.url = "http://h2345.localhost:4665";
    expect(logins.redeem(code)).toBeUndefined();
  });

  it("is one of 32 at most: the oldest give way", () => {
    const logins = openLogins().open();
    const codes = Array.from({ length: 33 }, () => logins.offer(["read"]));
    expect(codes.map((code) => logins.redeem(code) !== undefined)).toEqual([false, ...Array.from({ length: 32 }, () => true)]);
  });
});

describe("a session", () => {
  it("may approve with its key alone, and only if that was asked for", () => {
    const logins = openLogins().open();
    const scopesOf = (...[secret, key]: [string, string?]) => [...(logins.scopesOf(secret, key) ?? [])];
    const full = logins.redeem(logins.offer(["read", "approve"]));
    const reader = logins.redeem(logins.offer(["read"]));
    if (full === undefined || reader === undefined) throw new Error("not logged in");
    expect(scopesOf(full.secret, full.key)).toEqual(["read", "approve"]);
    for (const key of [undefined, "", reader.key, full.secret]) expect(scopesOf(full.secret, key)).toEqual(["read"]);
    for (const key of [reader.key, full.key]) expect(scopesOf(reader.secret, key)).toEqual(["read"]);
    expect(scopesOf(full.key, full.key)).toEqual([]);
    logins.end(full.secret);
    expect(scopesOf(full.secret, full.key)).toEqual([]);
  });

  it("outlives the hub but not a week, and not at another address", () => {
    const { clock, place, open } = openLogins();
    const logins = open();
    const { secret = "", key } = logins.redeem(logins.offer(["read", "approve"])) ?? {};
    expect(open().scopesOf(secret, key)?.has("approve")).toBe(true);
    for (const url of ["http://127.0.0.1:50000", "http://localhost:4665", "http://h2345.localhost:4665"]) {
      place.url = url;
      expect(open().scopesOf(secret, key)).toBeUndefined();
    }
    place.url = "http://127.0.0.1:4665";
    clock.now += SESSION_MS;
    expect(open().scopesOf(secret, key)).toBeUndefined();
  });

  it("tells who watches when it ends: once, by its end or its time, and not who has stopped watching", async () => {
    const { file, open, clock } = openLogins();
    const logins = open();
    const told: string[] = [];
    const enter = (name: string) => {
      const { secret = "" } = logins.redeem(logins.offer(["read"])) ?? {};
      return { secret, stop: logins.onEnd(secret, () => void told.push(name)) };
    };
    const [out, kept, deaf] = [enter("out"), enter("kept"), enter("deaf")];
    deaf.stop();
    logins.onEnd("nobody", () => void told.push("nobody"));
    logins.end(out.secret);
    logins.end(out.secret);
    logins.end(deaf.secret);
    expect(told).toEqual(["out"]);
    expect(logins.endAll()).toBe(1);
    expect(told).toEqual(["out", "kept"]);
    expect(logins.scopesOf(kept.secret, undefined)).toBeUndefined();

    const { secret = "" } = logins.redeem(logins.offer(["read"])) ?? {};
    writeFileSync(file, readFileSync(file, "utf8").replace(/"until":\d+/, `"until":${clock.now + 20}`));
    await new Promise<void>((resolve) => open().onEnd(secret, resolve));
  });

  it("is stored as a hash that opens nothing, readable by its owner alone", () => {
    const { file, open } = openLogins();
    const umask = process.umask(0);
    const logins = open();
    const { secret = "", key = "" } = logins.redeem(logins.offer(["read"])) ?? {};
    process.umask(umask);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, "utf8");
    for (const word of [secret, key]) expect(text).not.toContain(word);
    for (const digest of text.match(/[0-9a-f]{64}/g) ?? []) expect(logins.scopesOf(digest, key)).toBeUndefined();
  });

  it("is not believed when others could have written it", () => {
    const { file, open } = openLogins();
    const logins = open();
    const { secret = "" } = logins.redeem(logins.offer(["read"])) ?? {};
    chmodSync(file, 0o640);
    expect(open().scopesOf(secret, undefined)).toBeUndefined();
    chmodSync(file, 0o600);
    expect(open().scopesOf(secret, undefined)).toBeDefined();
    for (const text of ["", "null", "{}", "[1]", '[{"secret":"x"}]', readFileSync(file, "utf8").replace('"read"', '"decide"')]) {
      writeFileSync(file, text);
      expect(open().scopesOf(secret, undefined)).toBeUndefined();
    }
  });
});
