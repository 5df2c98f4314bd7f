import { describe, expect, it } from "vitest";
import { extensionList } from "./extension-list.js";

const { isOff, turnedOn, path } = extensionList("/home/ann/.pi/agent/extensions/hookline.ts");
const list = (...extensions: unknown[]): string => JSON.stringify({ theme: "dark", extensions });

describe("the list of extensions in pi's settings", () => {
  it("is beside the folder of extensions", () => expect(path).toBe("/home/ann/.pi/agent/settings.json"));

  it.each([
    ["-extensions/hookline.ts"],
    ["-./extensions/hookline.ts"],
    ["-/home/ann/.pi/agent/extensions/hookline.ts"],
    ["!hookline.ts"],
    ["!*"],
    ["!**/*.ts"],
    ["!extensions/*"],
    ["!{a,hookline}.ts"],
    ["![h-"],
    ["!*", "+extensions/hookline.ts", "-extensions/hookline.ts"],
  ])("leaves ours out: %j %j %j", (...entries) => {
    expect(isOff(list(...entries))).toBe(true);
    const on = turnedOn(list("mine.ts", ...entries), "");
    expect([isOff(on), JSON.parse(on)]).toEqual([false, expect.objectContaining({ theme: "dark" })]);
    expect(on).toContain("mine.ts");
  });

  it.each([[], ["mine.ts"], ["-extensions/other.ts"], ["!other-*"], ["!*", "+extensions/hookline.ts"], [7, "!"]])(
    "has nothing against ours: %j %j",
    (...entries) => expect(isOff(list(...entries))).toBe(false),
  );

  it.each(["", "{", "[]", '{"extensions":"!*"}'])("is not read from %j", (text) => expect(isOff(text)).toBe(false));
});
