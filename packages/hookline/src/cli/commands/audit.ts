import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import { inertJson, inertText } from "@hookline/core/internal/text";
import { pastAgents } from "../../agents/agents.js";
import type { RuleConfig } from "../../config/config.js";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { recommended } from "../../rules/starter/starter-rules.js";
import { audit } from "../audit/audit.js";
import { auditHtml } from "../audit/audit-html.js";
import { printAudit } from "../audit/audit-text.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { bytesText, countText } from "../format/amounts.js";
import { sinceOf } from "../import/since.js";
import { text, time } from "../option-values.js";
import { createProgress } from "../progress.js";
import { rulesOfSets } from "../rules/sets.js";
import type { Terminal } from "../terminal.js";

interface Options {
  readonly since?: string;
  readonly html?: string;
  readonly json?: boolean;
}

export const command: CommandModule<Options> = {
  define(command) {
    command
      .option("--since <time>", "from this time on: 7d, 12h or 2026-01-31 (default: 30d)", time)
      .option("--html <file>", "write the report as one HTML file, too", text)
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        "\nReads the session files of agents on this machine and shows what they did, and what rules would have stopped.",
      )
      .addHelpText("after", "Needs no hub, no configuration and no consent. It keeps nothing, changes nothing and sends nothing.")
      .addHelpText("after", examples("hookline audit", "hookline audit --since 90d --html audit.html"));
  },

  async run(terminal, { since = "30d", html, json = false }) {
    const progress = createProgress(terminal);
    const found = await audit({
      env: terminal.env,
      since: sinceOf(since),
      ...(await allRules(terminal)),
      onProgress: (done) =>
        progress.show(
          "bytes" in done
            ? `Reading ${bytesText(done.bytes)} of ${bytesText(done.total)}`
            : `Trying rules on ${countText(done.calls, "call")}`,
        ),
    }).finally(progress.end);
    if (html !== undefined) writeReport(resolve(html), auditHtml(found));
    if (json) terminal.print(inertJson(JSON.stringify(found, undefined, 2)));
    else if (found.agents.length === 0) sayNothingFound(terminal);
    else printAudit(found, terminal);
    if (html !== undefined) terminal.say(`The report is in ${inertText(resolve(html))}.`);
    return EXIT.ok;
  },
};

/** The rules of the user's file, and those of every set that the file does not have. */
async function allRules({ env, say }: Terminal): Promise<{ readonly rules: readonly RuleConfig[]; readonly own: readonly string[] }> {
  const { config } = await loadConfig(configPath(env)).catch((error: unknown) => {
    say(`Your hookline.toml is left out: ${errorText(error)}`);
    return { config: undefined };
  });
  const own = config?.rules ?? [];
  const sets = await rulesOfSets(recommended.sets);
  const names = own.map(({ name }) => name);
  return { rules: [...own, ...sets.filter(({ name }) => !names.includes(name))], own: names };
}

/** An earlier report, or any other file, is never overwritten. */
function writeReport(path: string, html: string): void {
  try {
    writeFileSync(path, html, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === "EEXIST";
    const why = isThere ? "there is a file of that name" : errorText(cause);
    throw new CliError(`The report cannot be written to "${inertText(path)}": ${why}.`, { fix: "Give another name with --html.", cause });
  }
}

function sayNothingFound({ env, say }: Terminal): void {
  say("No session files of that time were found. Hookline looked in:");
  for (const { title, sessions } of pastAgents)
    for (const { path } of sessions.folders(env)) say(`  ${title.padEnd(12)} ${inertText(path)}`);
  say("To look further back: hookline audit --since 52w");
  say("To see which agents are installed and attached: hookline agents");
  say("To see what Hookline does without an agent: hookline demo");
}
