import { Argument } from "commander";
import { describeConfig } from "../../config/describe-config.js";
import { parseConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import { type CommandModule, examples } from "../command-module.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import { inert, inertJson } from "../format/inert.js";
import { text } from "../option-values.js";

interface ConfigOptions {
  readonly config?: string;
  readonly origin?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule<ConfigOptions> = {
  define(command) {
    command
      .addArgument(new Argument("<action>", "what to do").choices(["show"]))
      .option("--origin", "say where each value comes from")
      .option("--config <file>", "the hookline.toml to show (default: in the config folder)", text)
      .option("--json", "as JSON")
      .addHelpText("after", "\nExit code 1 when something in the file is wrong. Secrets are hidden, examples of rules left out.")
      .addHelpText("after", examples("hookline config show", "hookline config show --origin"));
  },

  async run(terminal, { config, origin = false, json = false }) {
    const { path, text: content = "" } = openConfigFile(config, terminal.env);
    const { problems } = await parseConfig(content, path);
    const rows = describeConfig(content, path);
    if (json) terminal.print(inertJson(JSON.stringify({ path, values: rows, problems }, undefined, 2)));
    else
      for (const { key, value, origin: from } of rows)
        terminal.print(`${inert(key)} = ${inert(value)}${origin ? terminal.paint("dim", `  # ${inert(from)}`) : ""}`);
    for (const problem of problems) terminal.say(inert(formatProblem(problem)));
    return problems.length === 0 ? EXIT.ok : EXIT.failed;
  },
};
