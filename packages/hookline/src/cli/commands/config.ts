import { readFileSync } from "node:fs";
import { stateFolder } from "@hookline/core/internal/machine";
import { editCommand, inertJson, inertText } from "@hookline/core/internal/text";
import { ruleFilesOf } from "../../bundles/bundle-content.js";
import { type ConfigRow, describeConfig } from "../../config/describe-config.js";
import { parseConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import { findProject } from "../../extensions/trust/project-hooks.js";
import { createTrust } from "../../extensions/trust/trust.js";
import { type CommandGroup, type CommandModule, examples } from "../command-module.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import { cutTo } from "../format/display-width.js";
import { text } from "../option-values.js";
import { readFleetBundle } from "../policy/fleet-bundle.js";
import type { Terminal } from "../terminal.js";

const MAX_COLUMNS = 100;

interface ConfigOptions {
  readonly config?: string;
  readonly origin?: boolean;
  readonly full?: boolean;
  readonly json?: boolean;
}

export const command: CommandGroup = {
  usual: "show",
  subcommands: [
    { name: "show", access: "read", summary: "print the configuration in force (default)", load: async () => ({ command: show }) },
  ],
  define(command) {
    command.addHelpText("after", examples("hookline config show", "hookline config show --origin"));
  },
};

const show: CommandModule<ConfigOptions> = {
  define(command) {
    command
      .option("--origin", "show where each value comes from")
      .option("--full", "print long values in full")
      .option("--config <file>", "the hookline.toml to show (default: in the config folder)", text)
      .option("--json", "print JSON")
      .addHelpText("after", "\nExit code 1 when something in the file is wrong. Secrets are hidden; examples of rules are left out.")
      .addHelpText(
        "after",
        "Keys that begin with `fleet.` come from a signed bundle, those with `project.` from the project in this folder.",
      )
      .addHelpText("after", examples("hookline config show", "hookline config show --origin"));
  },

  async run(terminal, { config, origin = false, full = false, json = false }) {
    const { path, text: content = "" } = openConfigFile(config, terminal.env);
    const { problems, warnings } = await parseConfig(content, path);
    const rows = [...(config === undefined ? await fleetRows(terminal) : []), ...describeConfig(content, path), ...projectRows(terminal)];
    if (json) terminal.print(inertJson(JSON.stringify({ path, values: rows, problems, warnings }, undefined, 2)));
    else printRows(rows, { origin, full }, terminal);
    for (const problem of [...problems, ...warnings]) terminal.say(inertText(formatProblem(problem)));
    if (problems.length === 0) return EXIT.ok;
    terminal.say(`Run: ${inertText(editCommand(path))}`);
    return EXIT.failed;
  },
};

/** The rules of the signed bundle in force. They count more than those of the file. */
async function fleetRows(terminal: Terminal): Promise<readonly ConfigRow[]> {
  const bundle = await readFleetBundle(terminal);
  if (bundle === undefined) return [];
  const { files, name, serial } = bundle;
  return ruleFilesOf(files).flatMap((file) =>
    writtenRows(String(files.get(file)), `fleet ${name}@${serial}/${file}`).map((row) => ({ ...row, key: `fleet.${row.key}` })),
  );
}

/** The rules of the project in this folder, if you consented to them. */
function projectRows({ env }: Terminal): readonly ConfigRow[] {
  try {
    const rows = createTrust(stateFolder(env)).look(findProject(process.cwd()));
    const own = rows.find(({ hook, state }) => hook.kind === "config" && state === "trusted")?.hook.path;
    if (own === undefined) return [];
    return writtenRows(readFileSync(own, "utf8"), own).map((row) => ({ ...row, key: `project.${row.key}` }));
  } catch {
    // The record of consent cannot be read: no rule of a project is trusted then.
    return [];
  }
}

function writtenRows(text: string, path: string): readonly ConfigRow[] {
  return describeConfig(text, path).filter(({ origin }) => origin !== "default");
}

function printRows(
  rows: readonly ConfigRow[],
  { origin, full }: { readonly origin: boolean; readonly full: boolean },
  { print, say, paint }: Terminal,
): void {
  let isCut = false;
  for (const { key, value, origin: from } of rows) {
    const whole = `${inertText(key)} = ${inertText(value)}`;
    const line = full ? whole : cutTo(whole, MAX_COLUMNS);
    isCut ||= line !== whole;
    print(`${line}${origin ? paint("dim", `  # ${inertText(from)}`) : ""}`);
  }
  if (isCut) say("Values that end in … were cut. To see them in full: hookline config show --full");
}
