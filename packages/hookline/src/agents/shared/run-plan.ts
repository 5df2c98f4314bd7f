import type { EntryOptions } from "./definition.js";

/** One run of an agent with Hookline's hooks. */
export interface RunRequest {
  /** The arguments after the agent's name on the command line. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly isStrict: boolean;
  readonly entries: EntryOptions;
  /** The full path of `attach` in the state folder. */
  readonly folder: string;
  /** A folder for this run, removed after it. */
  readonly runFolder: string;
}

/** How to run the agent with our hooks without changing a file of the user. */
export interface RunPlan {
  readonly args: readonly string[];
  /** Added to the existing ones. */
  readonly env: { readonly [name: string]: string };
  /** Why the agent would still not run its hooks. */
  readonly inactive?: string;
  /** Called after the run, before its folder is removed. Returns notes for the user. */
  close?(): readonly string[];
}

/** All values of an option, in each spelling: `--name value`, `--name=value`, `-n value`, `-nvalue` and `-n=value`. */
export function valuesOf(args: readonly string[], ...names: readonly string[]): readonly string[] {
  return args.flatMap((word, at) => {
    const name = names.find((one) => word === one || word.startsWith(one.startsWith("--") ? `${one}=` : one));
    if (name === undefined) return [];
    return [word === name ? (args[at + 1] ?? "") : word.slice(name.length).replace(/^=/, "")];
  });
}

/** The words before `--`: those after it are not options. */
export function optionsIn(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end < 0 ? args : args.slice(0, end);
}
