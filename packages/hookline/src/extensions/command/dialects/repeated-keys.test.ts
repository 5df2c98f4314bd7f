import { describe, expect, it } from "vitest";
import { readMessage } from "../../process/read-message.js";
import { findRepeatedKey } from "./repeated-keys.js";

describe("a key that a JSON text gives twice", () => {
  it.each([
    ['{"decision":"deny","decision":"allow"}', "decision"],
    ['{"decision":"deny","d\\u0065cision":"allow"}', "decision"],
    ['{"a":{"b":[{"c":1,"c":2}]}}', "c"],
    ['{ "a" : { "x" : 1 } , "a" : { "x" : 2 } }', "a"],
    ['{"a":"\\"}","b":1,"b":[]}', "b"],
    ['[{"":1,"":null}]', ""],
  ])("is found where the values differ: %s", (text, key) => {
    JSON.parse(text);
    expect(findRepeatedKey(text)).toBe(key);
  });

  it.each([
    '{"decision":"deny","decision": "deny"}',
    '{"a":{"x":1,"y":2},"a":{"y":2,"x":1}}',
    '{"a":{"x":1},"b":{"x":2}}',
    '[{"x":1},{"x":2}]',
    '{"x":"{\\"x\\":1,\\"x\\":2}"}',
    '["x","x"]',
    '"x"',
    "1",
  ])("is not found here: %s", (text) => {
    JSON.parse(text);
    expect(findRepeatedKey(text)).toBeUndefined();
  });

  it("makes the answer of a process one that cannot be read", () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"decision":"deny","decision":"allow"}}';
    expect(readMessage(text)).toMatchObject({ result: { kind: "unread", failure: "invalid_verdict" } });
  });
});
