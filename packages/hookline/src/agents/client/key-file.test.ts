import { describe, expect, it } from "vitest";
import { encodeKey, parseKey } from "./key-file.js";

const key = { token: "token_0123456789-abc", seal: "seal_0123456789-abc" };

describe("the key of attached agents", () => {
  it("is read as it was written, with and without a socket", () => {
    expect(parseKey(encodeKey(key))).toEqual(key);
    const withSocket = { ...key, socket: '/run/a "b"\\c/http.sock' };
    expect(parseKey(encodeKey(withSocket))).toEqual(withSocket);
  });

  it("refuses values that would add another line or header", () => {
    for (const token of ["", "short", 'x"\nheader = "a', "0123456789 abcdef"])
      expect(() => encodeKey({ ...key, token })).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
    expect(() => encodeKey({ ...key, seal: "a b c d e f g h i j k" })).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
    expect(() => encodeKey({ ...key, socket: "/a\nb" })).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
  });

  it("is undefined for anything else", () => {
    const text = encodeKey(key);
    for (const broken of [
      "",
      "{}",
      text.slice(0, -1),
      `\n${text}`,
      text.replace("# ", "# x "),
      `${text}x`,
      text.replace(key.seal, "short"),
    ])
      expect(parseKey(broken)).toBeUndefined();
  });
});
