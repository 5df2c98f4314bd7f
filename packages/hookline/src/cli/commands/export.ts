import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { extname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { inertLines, inertText } from "@hookline/core/internal/text";
import { Option } from "commander";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { bytesText } from "../format/amounts.js";
import { connectHub } from "../hub-client.js";
import { limit as count, text } from "../option-values.js";
import { createProgress } from "../progress.js";
import { addFilterOptions, type FilterOptions, filterQuery } from "../tail/filter-options.js";

interface ExportOptions extends FilterOptions {
  readonly format?: string;
  readonly limit?: number;
  readonly force?: boolean;
}

const FORMATS = ["jsonl", "csv", "html"];

export const command: CommandModule<ExportOptions> = {
  define(command) {
    addFilterOptions(command.argument("[file]", "the file to write; its ending names the format (default: stdout)", text))
      .addOption(new Option("-f, --format <format>", "how the file is written (default: by its ending)").choices(FORMATS))
      .option("-n, --limit <count>", "at most so many events, the newest (default: all)", count)
      .option("--force", "replace the file if it exists")
      .addHelpText(
        "after",
        "\nNewest events first; an HTML report is in reading order. A session is exported with those that it started, in the order of their times.",
      )
      .addHelpText(
        "after",
        examples(
          "hookline export events.jsonl --since 7d",
          "hookline export report.html --session 868e35e6",
          "hookline export -f csv -d deny | head",
        ),
      );
  },

  async run(terminal, options, [file]) {
    const format = formatOf(options.format, file);
    const path = file === undefined ? undefined : resolve(file);
    if (path !== undefined && existsSync(path) && options.force !== true)
      throw new CliError(`"${path}" exists.`, { exitCode: EXIT.usage, fix: "Give another name, or --force to replace it." });
    const hub = await connectHub(terminal.env);
    const query = await filterQuery(hub, options);
    query.set("format", format);
    if (options.limit !== undefined) query.set("limit", String(options.limit));
    const stream = await hub.stream(`/api/export?${query}`, { accept: "*/*" }, new AbortController().signal);
    if (path === undefined) {
      // A file gets what was stored; a terminal would act on signs that an agent has put into it.
      if (process.stdout.isTTY) stream.setEncoding("utf8");
      for await (const part of stream) process.stdout.write(typeof part === "string" ? inertLines(part) : (part as Buffer));
      return ended(stream.complete);
    }
    const progress = createProgress(terminal);
    let bytes = 0;
    stream.on("data", (part: Buffer) => {
      bytes += part.length;
      progress.show(`${bytesText(bytes)} …`);
    });
    const half = `${path}.half`;
    try {
      // In a folder of many users, what is there already may be a link, or a file that others can read.
      rmSync(half, { force: true });
      await pipeline(stream, createWriteStream(half, { mode: 0o600, flags: "wx" }));
      ended(stream.complete);
      renameSync(half, path);
    } finally {
      progress.end();
      rmSync(half, { force: true });
    }
    terminal.print(path);
    terminal.say(`Wrote ${bytesText(bytes)} to ${inertText(path)}. It holds what agents did: keep it as private as the record.`);
    return EXIT.ok;
  },
};

function formatOf(given: string | undefined, file: string | undefined): string {
  const format = given ?? (file === undefined ? "jsonl" : extname(file).slice(1));
  if (FORMATS.includes(format)) return format;
  throw new CliError(`There is no format "${format}".`, { exitCode: EXIT.usage, fix: `Give --format: ${FORMATS.join(", ")}.` });
}

/** The hub cuts the connection when it cannot go on: half a file must not look like a whole one. */
function ended(isComplete: boolean): number {
  if (isComplete) return EXIT.ok;
  throw new CliError("The hub stopped in the middle of the export.", { fix: { run: "hookline status" } });
}
