import { isObject } from "./native-payload.js";

/** Codex shows the model the original output where another one is blank. */
const NO_OUTPUT = "[no output]";

/**
 * An output as text, for agents that take nothing else. Of the shapes in which the agents have it, the part that their models read.
 * Never blank.
 */
export function outputText(value: unknown): string {
  const text = textIn(value) ?? JSON.stringify(value) ?? "";
  return text.trim() === "" ? NO_OUTPUT : text;
}

/**
 * What transforms of an output are given: its text where that is all that the model reads of it, so that one redactor works with every agent.
 * Otherwise the output as the agent has it.
 */
export function outputValue(output: unknown): unknown {
  return textIn(output, true) ?? output;
}

function textIn(value: unknown, isWhole = false): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return textOfBlocks(value, isWhole);
  if (!isObject(value)) return undefined;
  const { stdout, stderr, isImage, content, llmContent, textResultForLlm, text_result_for_llm: snake = textResultForLlm } = value;
  if (typeof stdout === "string" && typeof stderr === "string" && isImage !== true) return stderr === "" ? stdout : `${stdout}\n${stderr}`;
  if (value.type === "text" && isObject(value.file)) return textIn(value.file, isWhole);
  const [part] = [llmContent, snake, content].filter((found) => found !== undefined);
  return part === undefined ? undefined : textIn(part, isWhole);
}

/** Blocks of content. What is not text in them cannot be told as text. */
function textOfBlocks(blocks: readonly unknown[], isWhole: boolean): string | undefined {
  const texts = blocks.flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : []));
  const isBlock = (block: unknown): boolean => isObject(block) && (typeof block.type === "string" || typeof block.text === "string");
  if (blocks.length === 0 || !blocks.every(isBlock) || (isWhole && texts.length < blocks.length)) return undefined;
  return texts.join("\n");
}
