import type { EntryOptions } from "./definition.js";

/** One run of an agent that is to be watched and guarded. */
export interface RunRequest {
  /** What follows the agent's name on the command line. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly isStrict: boolean;
  readonly entries: EntryOptions;
  /** `attach` in the state folder, in full. */
  readonly folder: string;
  /** A folder for this run alone, gone after it. */
  readonly runFolder: string;
}

/** How that is done without a file of the user's being touched. */
export interface RunPlan {
  readonly args: readonly string[];
  /** Besides what is there. */
  readonly env: { readonly [name: string]: string };
  /** Why the agent would not run its hooks all the same. */
  readonly inactive?: string;
  /** After the run, before its folder goes. Gives what whoever ran it should know. */
  close?(): readonly string[];
}

/** The words before `--`: what comes after is no option. */
export function optionsIn(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end < 0 ? args : args.slice(0, end);
}
