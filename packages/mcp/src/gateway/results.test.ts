import { expect, test } from "vitest";
import { errorValue, promptResult, replacedError, replacedResult, resourceResult, toolResult } from "./results.js";

const text = (more: object = {}) => ({ type: "text", text: "fine", ...more });
const shapes = { toolResult, resourceResult, promptResult };

test.each<[keyof typeof shapes, string, object]>([
  ["toolResult", "another field of the answer", { content: [text()], toolResult: "hidden" }],
  ["toolResult", "a field that parsers of Go take for the content", { content: [text()], Content: [text({ text: "hidden" })] }],
  ["toolResult", "another field of a block", { content: [text({ Text: "hidden" })] }],
  [
    "toolResult",
    "a field that JavaScript treats in its own way",
    JSON.parse('{"content":[{"type":"text","text":"a"}],"__proto__":"hidden"}'),
  ],
  ["resourceResult", "bytes beside the text", { contents: [{ uri: "a:b", text: "fine", blob: "hidden" }] }],
  ["resourceResult", "another field of the answer", { contents: [{ uri: "a:b", text: "fine" }], Contents: "hidden" }],
  ["promptResult", "a description", { description: "hidden", messages: [{ role: "user", content: text() }] }],
  ["promptResult", "another field of a message", { messages: [{ role: "user", content: text(), Content: "hidden" }] }],
])("hooks of %s see the whole answer if it has %s", (shape, _, result) => {
  expect(shapes[shape].value(result as never)).toBe(result);
});

test("hooks see a plain text where the answer has nothing else that a client could show", () => {
  const _meta = { server: "x" };
  expect(toolResult.value({ content: [text({ _meta }), text()], isError: false, _meta })).toBe("fine\nfine");
  expect(resourceResult.value({ contents: [{ uri: "a:b", mimeType: "text/plain", text: "fine", _meta }] })).toBe("fine");
  expect(promptResult.value({ messages: [{ role: "user", content: text({ annotations: {} }) }] })).toBe("fine");
  expect(errorValue({ code: -1, message: "fine" })).toBe("fine");
});

test("of an error with data, hooks see and replace everything", () => {
  const error = { code: -1, message: "fine", data: "hidden" };
  expect(errorValue(error)).toBe(error);
  expect(replacedError(error, error, error)).toBe(error);
  expect(replacedError(error, error, { ...error, data: "[key]" })).toEqual({ code: -1, message: "fine", data: "[key]" });
  expect(replacedError(error, error, "[withheld]")).toEqual({ code: -1, message: "[withheld]" });
});

test("a whole answer that is withheld keeps nothing of it", () => {
  const result = { content: [text()], toolResult: "hidden" };
  expect(replacedResult(toolResult, result, result, "[withheld]")).toEqual({ content: [{ type: "text", text: "[withheld]" }] });
});
