import type { FactBuilder } from "./fact-builder.js";
import type { Data } from "./scope.js";
import { concat, literal, type Value } from "./value.js";

/** What a program prints, where that can be computed from its words and its input. */
export function printedText(program: string, operands: readonly Value[], fact: FactBuilder, input: Data): Data | undefined {
  void fact;
  void input;
  if (program !== "echo" || operands.some(({ unknown }) => unknown !== undefined)) return undefined;
  const value = operands.reduce((all, word, at) => concat(at > 0 ? concat(all, literal(" ")) : all, word), literal(""));
  return { flows: [{ from: "literal", text: value.text }], value: concat(value, literal("\n")) };
}
