import { resolve } from "node:path";
import { findProject } from "../../extensions/trust/project-hooks.js";
import { type CommandModule, examples } from "../command-module.js";
import type { HooksOptions } from "../hooks/options.js";
import { text } from "../option-values.js";
import { pickAction } from "../pick-action.js";
import type { Terminal } from "../terminal.js";

type Action = (terminal: Terminal, options: HooksOptions, args: readonly string[]) => Promise<number>;

/** Each loaded when it is called. */
const actions: { readonly [name: string]: Action } = {
  list: async (terminal, options) => (await import("../hooks/list-hooks.js")).listHooks(terminal, options),
  new: async (terminal, options, args) => (await import("../hooks/new-hook.js")).newHook(terminal, options, args),
  test: async (terminal, options, args) => (await import("../hooks/test-hook.js")).testHook(terminal, options, args),
  trust: async (terminal, options, args) => (await import("../hooks/trust-hooks.js")).trustHooks(terminal, options, args),
  revoke: async (terminal, options, args) => (await import("../hooks/trust-hooks.js")).revokeHook(terminal, options, args),
  enable: async (terminal, options, args) => (await import("../hooks/switch-hook.js")).switchHook(terminal, options, args, true),
  disable: async (terminal, options, args) => (await import("../hooks/switch-hook.js")).switchHook(terminal, options, args, false),
  doctor: async (terminal, options) => (await import("../hooks/doctor-hooks.js")).examineHooks(terminal, options),
  import: async (terminal, _, args) => (await import("../hooks/import-hooks.js")).importHooks(terminal, args),
};

const help = `
Actions:
  list                     every hook: state, dialect, failure mode, and when it last fired
  new <name>               make a hook folder that works as it is
  test <hook>              run it on a sample event
  trust [hook]             look at a project's hooks, and consent
  revoke <hook>            take consent back
  enable, disable <hook>   switch a hook of your own on or off
  doctor                   what is wrong, and what is new since your last review
  import <format> <file>   claude-settings or codewhale, as [[hook]] tables
`;

export const command: CommandModule<Partial<HooksOptions>> = {
  actions,
  define(command) {
    command
      .argument("[action]", "list (default), new, test, trust, revoke, enable, disable, doctor or import", text)
      .argument("[names...]", "the hook, or what the action takes", texts)
      .option(
        "--event <name>",
        "new: an event (default: tool:before); test: an event, or a file with { event, payload } (default: the hook's canary)",
        text,
      )
      .option("--payload <json>", "test: what is sent instead; @file reads a file, - reads stdin")
      .option("--language <name>", "new: ts, js, python or sh (default: ts)", text)
      .option("--project <folder>", "the project (default: the current folder)", text)
      .option("--yes", "trust: consent to the hook that is named, without being asked")
      .option("--reviewed", "doctor: note your own hooks as reviewed")
      .option("--json", "list, test: as JSON")
      .addHelpText("after", help)
      .addHelpText(
        "after",
        examples(
          "hookline hooks list",
          "hookline hooks new push-guard --language python",
          "hookline hooks test push-guard",
          "hookline hooks import claude-settings ~/.claude/settings.json >> ~/.config/hookline/hookline.toml",
        ),
      );
  },

  async run(terminal, options, [name = "list", ...args]) {
    const action = pickAction(actions, name, "hooks");
    const place = resolve(options.project ?? ".");
    return action(terminal, { ...options, place, project: findProject(place) }, args);
  },
};

function texts(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text(value)];
}
