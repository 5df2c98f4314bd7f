import { inertText } from "@hookline/core/internal/text";
import { InvalidArgumentError } from "commander";
import { DEFAULT_PAUSE_MS, MAX_PAUSE_MS } from "../../hub/gates/pause.js";
import type { BundleStatus, PauseAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { durationText } from "../format/amounts.js";
import { pauseText } from "../format/pause-text.js";
import { connectHub } from "../hub-client.js";
import { text } from "../option-values.js";
import { userName } from "../user-name.js";

const UNITS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000 };

interface PauseOptions {
  readonly for?: number;
  readonly reason?: string;
}

export const command: CommandModule<PauseOptions> = {
  define(command) {
    command
      .option("--for <time>", "how long: 90s, 10m or 2h, at most 8h (default: 10m)", duration)
      .option("--reason <text>", "why, for the record", text)
      .addHelpText(
        "after",
        "\nDuring the pause every call passes and is recorded as paused, unless a guard of a signed bundle denies it. Observers, transforms and guards in an agent's own process keep working.\nThe pause ends by itself, with hookline resume, or when the hub stops.",
      )
      .addHelpText("after", examples("hookline pause", 'hookline pause --for 30m --reason "migration"', "hookline resume"));
  },

  async run(terminal, { for: forMs = DEFAULT_PAUSE_MS, reason }) {
    const hub = await connectHub(terminal.env);
    const wanted = { forMs, by: userName(), ...(reason !== undefined && { reason }) };
    const { paused } = await hub.post<PauseAnswer>("/api/pause", JSON.stringify(wanted));
    if (paused === undefined) throw new CliError("The pause has already ended.", { fix: { run: "hookline status" } });
    terminal.print(`${pauseText(paused)} That is ${durationText(forMs)}.`);
    const { bundle } = await hub.get<BundleStatus>("/api/policy/bundle");
    terminal.say(
      bundle === undefined
        ? "Every call passes and is recorded as paused. To end it: hookline resume"
        : `Your own guards are not asked. The guards of the bundle ${inertText(bundle.name)} still decide: a pause does not reach them. To end it: hookline resume`,
    );
    return EXIT.ok;
  },
};

function duration(value: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smh])$/.exec(value.trim()) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (ms > 0 && ms <= MAX_PAUSE_MS) return ms;
  throw new InvalidArgumentError("Give a time such as 90s, 10m or 2h, above 0 and at most 8h: a pause always ends by itself.");
}
