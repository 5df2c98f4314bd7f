import type { HookError } from "@hookline/core";
import type { z } from "zod";

/** Makes what cannot be compiled an issue that says what is wrong and at which character. */
export function refuse(compile: () => unknown, context: z.RefinementCtx): void {
  try {
    compile();
  } catch (error) {
    const { message, position: at } = error as HookError;
    // The first line says it all; the others show the text, which whoever reads this has before him.
    const [what = ""] = message.split("\n");
    context.addIssue({ code: "custom", message: `is wrong${at === undefined ? "" : ` at character ${at + 1}`}: ${what}`, params: { at } });
  }
}
