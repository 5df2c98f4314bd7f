import { describe, expect, it } from "vitest";
import { checkOptions, flag, label, type Rules, text } from "./option-rules.js";

interface Options {
  readonly name?: string;
  readonly token?: string;
  readonly isLoud?: boolean;
}
const rules: Rules<Options> = { name: label, token: { ...text, wants: "a token", isSecret: true }, isLoud: flag };
const check = (options: unknown): Options => checkOptions("open", options as Options, rules);

describe("checkOptions", () => {
  it("gives a copy that the caller cannot change afterwards", () => {
    const given = { name: "a" };
    const checked = check(given);
    given.name = "b";
    expect(checked).toEqual({ name: "a" });
  });

  it("names the option, what it takes, what was given and what was meant", () => {
    expect(() => check({ isLoud: "yes" })).toThrow('open: "isLoud" must be true or false, not "yes".');
    expect(() => check({ nmae: "a" })).toThrow('open has no option "nmae". Did you mean "name"? Options: name, token, isLoud.');
    for (const [given, shown] of [
      [null, "null"],
      [3, "3"],
      ["x", '"x"'],
      [() => 0, "a function"],
    ] as const) {
      expect(() => check(given)).toThrow(`open: options must be an object, not ${shown}.`);
    }
  });

  it("never shows a secret", () => {
    expect(() => check({ token: 12345 })).toThrow(/^open: "token" must be a token\.$/);
  });

  it("reads a getter once, and ignores what is inherited", () => {
    let reads = 0;
    const given = {
      get name() {
        return reads++ === 0 ? "a" : " not a name ";
      },
    };
    expect(check(given)).toEqual({ name: "a" });
    expect(check(Object.create({ isLoud: "nonsense" }))).toEqual({});
  });
});
