import { resolve } from "node:path";
import { findProject } from "../../extensions/trust/project-hooks.js";
import { text } from "../option-values.js";

export interface ProjectOption {
  readonly project?: string;
}

/** The option of the subcommands of `hookline hooks` that are about a project. */
export const projectOption = ["--project <folder>", "the project (default: the current folder)", text] as const;

/** The folder that was named: there may be a link by now where a project was. */
export function placeOf({ project = "." }: ProjectOption): string {
  return resolve(project);
}

export function projectOf(option: ProjectOption): string {
  return findProject(placeOf(option));
}
