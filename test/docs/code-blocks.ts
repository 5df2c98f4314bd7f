/** A piece of TypeScript on a page. */
export interface CodeBlock {
  readonly page: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly text: string;
  /** The lines it says it prints, in its `// → text` comments; undefined when it says nothing about them. */
  readonly prints: readonly string[] | undefined;
}

/** Every block fenced as `ts`; those fenced as `ts no-run` are left out. */
export function runnableBlocks(page: string, markdown: string): CodeBlock[] {
  const found: CodeBlock[] = [];
  const fences = /^```(.*)\n([\s\S]*?)^```$/gm;
  for (const { 1: info = "", 2: text = "", index } of markdown.matchAll(fences)) {
    if (info.trim() === "ts") found.push({ page, line: markdown.slice(0, index).split("\n").length, text, prints: printedBy(text) });
  }
  return found;
}

function printedBy(text: string): string[] | undefined {
  const lines = [...text.matchAll(/\/\/ → ?(.*)$/gm)].map(([, line = ""]) => line);
  return lines.length === 0 ? undefined : lines;
}
