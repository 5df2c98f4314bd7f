import { resolve } from "node:path";
import { findProject } from "../../extensions/trust/project-hooks.js";
import { text } from "../option-values.js";

export interface ProjectOption {
  readonly project?: string;
}

/** The option of the `hookline hooks` subcommands that are about a project. */
export const projectOption = ["--project <folder>", "the project (default: the current folder)", text] as const;

/** The folder as given, because a link may have replaced the project. */
export function placeOf({ project = "." }: ProjectOption): string {
  return resolve(project);
}

export function projectOf(option: ProjectOption): string {
  return findProject(placeOf(option));
}
