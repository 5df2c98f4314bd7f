import { errorText } from "@hookline/core";
import { quoted } from "@hookline/core/internal/text";
import { findProject, listProjectHooks } from "../../extensions/trust/project-hooks.js";
import { createTrust, type Trust } from "../../extensions/trust/trust.js";
import type { Fault } from "../protocol.js";

const MAX_PLACES = 1_000;
/** The record of consent, in the state folder. */
export const RECORD = "trust.json";

function faultOf(trust: Trust): string | undefined {
  try {
    const fault = trust.fault();
    return fault && errorText(fault);
  } catch (error) {
    return errorText(error);
  }
}

/** A project in which an agent works, with hooks that do not run. */
export interface UntrustedProject {
  readonly project: string;
  /** Such as `guard (untrusted)`. */
  readonly hooks: readonly string[];
}

export interface UntrustedProjects {
  /** An agent works in that folder, which is given with every link resolved: a link may lead to another project by now. */
  visit(place: string): void;
  /** As it is now. */
  list(): readonly UntrustedProject[];
  /** What is wrong with the record of consent itself. */
  faults(): readonly Fault[];
}

/** Knows in which projects agents work, and reports once for each that it has hooks without consent. Does not open their files. */
export function createUntrustedProjects(stateFolder: string, onProblem: (text: string) => void): UntrustedProjects {
  const trust = createTrust(stateFolder);
  const places = new Set<string>();
  const projects = new Set<string>();

  function look(project: string): UntrustedProject[] {
    try {
      const own = trust.look(project).filter(({ hook }) => hook.project === project);
      const waiting = own.filter(({ state }) => state === "untrusted" || state === "modified");
      return waiting.length === 0 ? [] : [{ project, hooks: waiting.map(({ hook, state }) => `${hook.name} (${state})`) }];
    } catch {
      // While the record of consent cannot be read, no hook has consent.
      return [{ project, hooks: listProjectHooks(project).map(({ name }) => `${name} (untrusted)`) }];
    }
  }

  return {
    visit(place) {
      if (places.has(place)) return;
      if (places.size >= MAX_PLACES) places.clear();
      places.add(place);
      const project = findProject(place);
      if (projects.has(project) || listProjectHooks(project).length === 0) return;
      projects.add(project);
      for (const { hooks } of look(project))
        onProblem(
          `An agent works in "${project}", whose hooks do not all run: ${hooks.join(", ")}. Look at them with: hookline hooks trust --project ${quoted(project)}`,
        );
    },
    list: () => [...projects].sort().flatMap(look),
    faults() {
      const what = faultOf(trust);
      if (what === undefined) return [];
      const shared = { kind: "hook", state: "broken", name: RECORD, file: trust.path, run: "hookline hooks doctor" } as const;
      return [{ ...shared, what, effect: "The hooks of projects stay as they were.", denies: false, isEdit: false }];
    },
  };
}
