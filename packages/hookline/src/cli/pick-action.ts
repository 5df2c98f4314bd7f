import { didYouMean } from "@hookline/core/internal/text";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";

/** What is behind the action of that name. Throws, with what was meant, for a name that is none. */
export function pickAction<T>(actions: { readonly [name: string]: T }, name: string, command: string): T {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action !== undefined) return action;
  const names = Object.keys(actions);
  throw new CliError(`There is no action "${name}" of hookline ${command}.${didYouMean(name, names)} There are: ${names.join(", ")}.`, {
    exitCode: EXIT.usage,
    fix: { run: `hookline ${command} --help` },
  });
}
