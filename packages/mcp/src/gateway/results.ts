import { type Fields, fieldsOf } from "../protocol/message.js";

/** How the answer to a method becomes a value that hooks can read and replace, and an answer again. */
export interface ResultShape {
  /** A plain text where the answer is nothing else, otherwise the whole answer. */
  value(result: Fields): unknown;
  /** An answer that says only this. `original` had something else in its place. */
  ofText(text: string, original: Fields): Fields;
  /** The answer with one more text. */
  with(result: Fields, text: string): Fields;
  /** The answer with what hooks have made of its value, where that is not the whole answer. */
  readonly whole?: (value: Fields, original: Fields) => Fields;
}

/** A server of the modern era asks something before it answers: hooks see what it asks. The state is for the server alone. */
function questionsOf(shape: ResultShape): ResultShape {
  return {
    value: ({ inputRequests }) => fieldsOf(inputRequests),
    ofText: (text) => shape.ofText(text, {}),
    // The client repeats the call with its answers, and hooks add their texts again.
    with: (result) => result,
    whole: (inputRequests, original) => ({ ...original, inputRequests }),
  };
}

/** How to read this answer to a method. */
export function shapeOf(shape: ResultShape, { resultType }: Fields): ResultShape {
  return resultType === "input_required" ? questionsOf(shape) : shape;
}

/** What an answer may have beside its text. With any other field hooks see the whole answer: a client may show that field to the model. */
const BESIDE_TEXT = ["_meta", "annotations", "type", "text"];

/** `tools/call` */
export const toolResult: ResultShape = {
  value: (result) => (hasOnly(result, ["content", "isError", "_meta"]) ? onlyText(result.content) : undefined) ?? result,
  // A client that knows the tool's output schema refuses a text in its place, unless it is an error.
  ofText: (text, { structuredContent, isError }) => ({
    content: [textBlock(text)],
    ...((isError === true || structuredContent !== undefined) && { isError: true }),
  }),
  with: (result, text) => ({ ...result, content: [...listOf(result.content), textBlock(text)] }),
};

/** `resources/read` */
export const resourceResult: ResultShape = {
  value: (result) => {
    const [first = {}, ...more] = listOf(result.contents).map(fieldsOf);
    const isText = hasOnly(result, ["contents", "_meta"]) && hasOnly(first, [...BESIDE_TEXT, "uri", "mimeType"]);
    return isText && more.length === 0 && typeof first.text === "string" ? first.text : result;
  },
  ofText: (text, { contents }) => {
    const { uri = "", mimeType } = fieldsOf(listOf(contents)[0]);
    return { contents: [{ uri, ...(typeof mimeType === "string" && mimeType.startsWith("text/") && { mimeType }), text }] };
  },
  with: (result, text) => ({ ...result, contents: [...listOf(result.contents), { uri: "hookline:note", mimeType: "text/plain", text }] }),
};

/** `prompts/get` */
export const promptResult: ResultShape = {
  value: (result) => {
    const [first = {}, ...more] = listOf(result.messages).map(fieldsOf);
    const isOne = hasOnly(result, ["messages", "_meta"]) && hasOnly(first, ["role", "content"]) && more.length === 0;
    return (isOne ? onlyText([first.content]) : undefined) ?? result;
  },
  ofText: (text, { messages }) => {
    const { role = "user" } = fieldsOf(listOf(messages)[0]);
    return { messages: [{ role, content: textBlock(text) }] };
  },
  with: (result, text) => ({ ...result, messages: [...listOf(result.messages), { role: "user", content: textBlock(text) }] }),
};

/** What hooks see of a server's error: its text, or all of it if it has more, such as `data`. */
export function errorValue(error: Fields): unknown {
  const isText = hasOnly(error, ["code", "message"]) && typeof error.code === "number" && typeof error.message === "string";
  return isText ? error.message : error;
}

/** The error after hooks have seen its value. */
export function replacedError(original: Fields, before: unknown, after: unknown): Fields {
  if (Object.is(before, after)) return original;
  if (fieldsOf(after) === after && typeof before === "object") return fieldsOf(after);
  return { code: original.code, message: typeof after === "string" ? after : JSON.stringify(after) };
}

/** The answer after hooks have seen its value. An unchanged one stays as the server wrote it. */
export function replacedResult(shape: ResultShape, original: Fields, before: unknown, after: unknown): Fields {
  if (Object.is(before, after)) return original;
  if (typeof after === "object" && after !== null && !Array.isArray(after) && typeof before === "object")
    return shape.whole?.(after as Fields, original) ?? (after as Fields);
  return shape.ofText(typeof after === "string" ? after : JSON.stringify(after), original);
}

/** The answer to a tool call that did not run, or failed. The model reads the text. */
export function failedResult(text: string): Fields {
  return { content: [textBlock(text)], isError: true };
}

function onlyText(content: unknown): string | undefined {
  const blocks = listOf(content).map(fieldsOf);
  const texts = blocks.flatMap((block) =>
    block.type === "text" && typeof block.text === "string" && hasOnly(block, BESIDE_TEXT) ? [block.text] : [],
  );
  return blocks.length > 0 && texts.length === blocks.length ? texts.join("\n") : undefined;
}

function hasOnly(fields: Fields, known: readonly string[]): boolean {
  return Object.keys(fields).every((field) => known.includes(field));
}

function textBlock(text: string): Fields {
  return { type: "text", text };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
