import { existsSync } from "node:fs";
import type { HookError } from "@hookline/core";
import { editCommand, shellWord } from "@hookline/core/internal/text";
import { toolNote } from "../../agents/tool-note.js";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { type InstalledHook, shownState } from "../../extensions/installed/installed-hook.js";
import { findProject, resolveProject } from "../../extensions/trust/project-hooks.js";
import { createTrust } from "../../extensions/trust/trust.js";
import type { Fault } from "../../hub/protocol.js";
import { readKnownTools } from "../agents/known-tools.js";
import { pauseText } from "../format/pause-text.js";
import { findStartFaults, readOwn } from "../hooks/doctor-hooks.js";
import { findKnownHooks } from "../hooks/find-hooks.js";
import { noteOn } from "../hooks/known-hook.js";
import { faultText } from "../status/guards.js";
import { type Check, fail, failWith, ok, skip, warn } from "./check.js";

const NO_PROJECTS = "hooks of projects do not run under the managed hub";

export const hookChecks: readonly Check[] = [
  {
    id: "hooks",
    title: "Every hook can run",
    fix: "hookline hooks doctor",
    async look({ env }) {
      const hooks = await findKnownHooks(env, findProject(process.cwd()));
      const broken = hooks.filter((hook) => ["broken", "modified"].includes(shownState(hook)));
      if (broken.length > 0) return fail(`these cannot: ${named(broken)}`);
      const [fault] = await findStartFaults(hooks);
      if (fault !== undefined) return fail(`${fault.name}: ${fault.what}`);
      const waiting = hooks.filter(({ state }) => state === "untrusted");
      return waiting.length === 0
        ? ok(`${hooks.length} found`)
        : warn(`you have not consented to ${named(waiting)}`, "hookline hooks trust");
    },
  },
  {
    id: "paused",
    title: "The hub's guards are on",
    fix: "hookline resume",
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { paused } = await status();
      return paused === undefined ? ok("not paused") : warn(pauseText(paused));
    },
  },
  {
    id: "in-force",
    title: "Every rule and hook is in force as written in its file",
    fix: "hookline status",
    async look({ hub, status }) {
      if (hub === undefined) return skip("the hub cannot be asked");
      const { faults } = await status();
      const [first] = faults;
      return first === undefined ? ok("nothing is broken") : fail(faults.map(faultText).join("\n"), fixOf(first));
    },
  },
  {
    id: "guarded-tools",
    title: "Every rule and hook is for tools that attached agents have",
    fix: "hookline rules list",
    async look({ env }) {
      const known = await readKnownTools(env);
      if (known.attached.length === 0) return skip("no agent is attached");
      const { config } = await loadConfig(configPath(env));
      const rules = (config?.rules ?? []).filter(({ enabled }) => enabled !== false);
      const hooks = await findKnownHooks(env, findProject(process.cwd()));
      const notes = [
        ...rules.map((rule) => ({ name: `rule "${rule.name}"`, note: toolNote(rule, known) })),
        ...hooks.map((hook) => ({ name: `hook "${hook.name}"`, note: noteOn(hook, known).note })),
      ];
      const found = notes.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`]));
      return found.length === 0 ? ok(known.attached.map(({ title }) => title).join(", ")) : warn(found.join("\n"));
    },
  },
  {
    id: "trust-record",
    title: "The record of your consent to project hooks can be read",
    fix: "hookline hooks doctor",
    look({ state, managed }) {
      if (managed !== undefined) return skip(NO_PROJECTS);
      const trust = createTrust(state);
      try {
        const fault = trust.fault();
        if (fault !== undefined) return failWith(fault.message, fault.fix);
        return ok(existsSync(trust.path) ? trust.path : "no consent so far");
      } catch (error) {
        const { message, fix } = error as HookError;
        return failWith(message, fix);
      }
    },
  },
  {
    id: "trusted-projects",
    title: "Projects with trusted hooks have not moved",
    fix: "hookline hooks doctor",
    look({ state, managed }) {
      if (managed !== undefined) return skip(NO_PROJECTS);
      const trust = createTrust(state);
      const projects = trust.projects();
      const moved = projects.filter((project) => !existsSync(project) || resolveProject(project) !== project);
      if (moved.length === 0) return ok(`${projects.length} known`);
      const revokes = moved.flatMap((project) =>
        trust.look(project).map(({ hook }) => `hookline hooks revoke ${shellWord(hook.name)} --project ${shellWord(project)}`),
      );
      return warn(`a moved project needs a new consent; these are gone, or are links now: ${moved.join(", ")}`, revokes.join("; "));
    },
  },
  {
    id: "hooks-reviewed",
    title: "Your own hooks have not changed since your last review",
    fix: "hookline hooks doctor --reviewed",
    async look({ env, state, managed }) {
      if (managed !== undefined) return skip("root and the operators accept the hooks of the managed hub");
      const own = await readOwn(env, findProject(process.cwd()));
      const added = createTrust(state).newSinceReview(own);
      return added.length === 0
        ? ok(`${Object.keys(own).length} reviewed`)
        : warn(`new or changed since your last review: ${added.join(", ")}`);
    },
  },
];

/** The hub sends the reader of a fault here, so this names what comes after. */
function fixOf({ run, file }: Fault): string {
  return run === "hookline doctor" ? editCommand(file) : run;
}

function named(hooks: readonly InstalledHook[]): string {
  return hooks.map((hook) => `${hook.name} (${shownState(hook)})`).join(", ");
}
