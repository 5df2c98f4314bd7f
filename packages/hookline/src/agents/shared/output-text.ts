import { isObject } from "./native-payload.js";

/** Codex shows the model the original output if the new one is blank. */
const NO_OUTPUT = "[no output]";

/** An output as text, for agents that accept only text: the part that their models read. Never blank. */
export function outputText(value: unknown): string {
  const text = textIn(value) ?? JSON.stringify(value) ?? "";
  return text.trim() === "" ? NO_OUTPUT : text;
}

/**
 * The value for transforms of an output: its text if the model reads only that, so that one redactor works with every agent. Otherwise the agent's
 * own output.
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

/** Content blocks. Blocks that are not text cannot be shown as text. */
function textOfBlocks(blocks: readonly unknown[], isWhole: boolean): string | undefined {
  const texts = blocks.flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : []));
  const isBlock = (block: unknown): boolean => isObject(block) && (typeof block.type === "string" || typeof block.text === "string");
  if (blocks.length === 0 || !blocks.every(isBlock) || (isWhole && texts.length < blocks.length)) return undefined;
  return texts.join("\n");
}
