import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import type { DeadLetterLine } from "@hookline/core/internal/sinks";
import { inertText } from "@hookline/core/internal/text";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";

interface RedeliverOptions {
  readonly url?: string;
  readonly secretEnv: string;
  readonly dryRun?: boolean;
}

const SECRET = "HOOKLINE_WEBHOOK_SECRET";

export const command: CommandModule<RedeliverOptions> = {
  define(command) {
    command
      .argument("<file>", "the dead-letter file of a webhook sink", text)
      .option("--url <url>", "the receiver; the file does not hold full URLs, because they may be secret", text)
      .option("--secret-env <name>", "the environment variable that holds the signing secret", text, SECRET)
      .option("--dry-run", "list them without sending")
      .addHelpText("after", "\nDelivered letters are removed from the file; letters that fail again stay.")
      .addHelpText(
        "after",
        examples(
          "hookline redeliver dead.ndjson --dry-run",
          `${SECRET}=whsec_… hookline redeliver dead.ndjson --url https://example.com/hook`,
        ),
      );
  },

  async run(terminal, options, [given = ""]) {
    const path = resolve(given);
    if (!existsSync(path)) throw new CliError(`There is no file "${path}".`, { fix: { run: "hookline config show" } });
    if (options.dryRun === true) return list(path, terminal);
    const { url } = options;
    if (url === undefined)
      throw new CliError("The receiver is missing. Give it with --url.", {
        exitCode: EXIT.usage,
        fix: { run: "hookline redeliver --help" },
      });
    return send(path, { url, secret: terminal.env[options.secretEnv] }, terminal);
  },
};

async function list(path: string, { print, say }: Terminal): Promise<number> {
  const { readDeadLetters } = await import("@hookline/core/internal/sinks");
  const lines = [...readDeadLetters(path)];
  for (const line of lines) print(lineText(line));
  const letters = lines.filter((line) => "letter" in line).length;
  say(`${countText(letters, "letter")}, ${countText(lines.length - letters, "malformed line")}. Nothing was sent.`);
  return EXIT.ok;
}

function lineText(line: DeadLetterLine): string {
  if ("problem" in line) return `${line.line}  ${inertText(line.problem.message)}`;
  const { at, url, cause, envelopes } = line.letter;
  return inertText(`${line.line}  ${at}  ${countText(envelopes.length, "event")}  ${url}  ${cause}`);
}

async function send(
  path: string,
  target: { readonly url: string; readonly secret: string | undefined },
  { say }: Terminal,
): Promise<number> {
  const { createWebhookSink } = await import("@hookline/core/sinks");
  const { redeliver } = await import("@hookline/core/internal/sinks");
  const sink = createWebhookSink({ url: target.url, ...(target.secret ? { secret: target.secret } : {}) });
  if (!target.secret) say("The requests are not signed, because the environment has no secret.");
  try {
    const { sent, kept, malformed, stoppedBy } = await redeliver(path, sink);
    say(`${countText(sent, "letter")} delivered, ${kept} kept, ${malformed} malformed.`);
    if (stoppedBy !== undefined) throw new CliError(`The receiver cannot be reached, so the rest was not sent: ${errorText(stoppedBy)}`);
    return kept + malformed > 0 ? EXIT.failed : EXIT.ok;
  } finally {
    await sink.close();
  }
}
