import { didYouMean } from "@hookline/core";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";

/** The one of that name. Throws, with what was meant, for a name that is none. */
export function pickHook<T extends { readonly name: string }>(hooks: readonly T[], name: string | undefined, action: string): T {
  const names = hooks.map((hook) => hook.name);
  if (name === undefined)
    throw new CliError(`Which hook? There ${names.length === 0 ? "is none" : `are: ${names.join(", ")}`}.`, {
      exitCode: EXIT.usage,
      next: `hookline hooks ${action} <name>`,
    });
  const found = hooks.find((hook) => hook.name === name);
  if (found !== undefined) return found;
  throw new CliError(`There is no hook "${name}" here.${didYouMean(name, names)}`, { next: "hookline hooks list" });
}
