import { didYouMean, shellWord } from "@hookline/core/internal/text";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";

/** The one of that name. Throws, with what was meant, for a name that is none. */
export function pickHook<T extends { readonly name: string }>(hooks: readonly T[], name: string | undefined, action: string): T {
  const names = hooks.map((hook) => hook.name);
  if (name === undefined) {
    const [first] = names;
    throw new CliError(first === undefined ? `There is no hook to ${action}.` : `Which hook? There are: ${names.join(", ")}.`, {
      exitCode: EXIT.usage,
      fix: { run: first === undefined ? "hookline hooks list" : `hookline hooks ${action} ${shellWord(first)}` },
    });
  }
  const found = hooks.find((hook) => hook.name === name);
  if (found !== undefined) return found;
  throw new CliError(`There is no hook "${name}" here.${didYouMean(name, names)}`, { fix: { run: "hookline hooks list" } });
}
