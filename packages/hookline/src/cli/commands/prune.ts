import type { PruneAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectHub } from "../hub-client.js";
import { ageMs, byteSize } from "../option-values.js";
import { createProgress } from "../progress.js";
import { askFor } from "../prompt.js";

interface PruneOptions {
  readonly olderThan?: number;
  readonly maxSize?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const STEP_MS = 60_000;

export const command: CommandModule<PruneOptions> = {
  define(command) {
    command
      .option("--older-than <age>", "remove events that are older: 12h, 30d or 8w", ageMs)
      .option("--max-size <size>", "remove the oldest events until the store takes no more: 500MB, 2GB", byteSize)
      .option("--dry-run", "say how many events would go, and remove none")
      .option("--yes", "do not ask")
      .addHelpText("after", "\nThe hub does the same by itself, with the limits of [retention] in hookline.toml.")
      .addHelpText("after", examples("hookline prune --older-than 30d --dry-run", "hookline prune --max-size 500MB --yes"));
  },

  async run(terminal, { olderThan, maxSize, dryRun = false, yes = false }) {
    const limits = { ...(olderThan !== undefined && { maxAgeMs: olderThan }), ...(maxSize !== undefined && { maxBytes: maxSize }) };
    if (Object.keys(limits).length === 0) throw new CliError("Say what goes, with --older-than or --max-size.", { exitCode: EXIT.usage });
    const hub = await connectHub(terminal.env);
    const step = (body: object) => hub.post<PruneAnswer>("/api/prune", JSON.stringify({ ...limits, ...body }), undefined, STEP_MS);
    const { removed: wanted } = await step({ dryRun: true });
    const about = `${maxSize === undefined ? "" : "about "}${countText(wanted, "event")}`;
    if (dryRun || wanted === 0) {
      terminal.print(String(wanted));
      terminal.say(wanted === 0 ? "No event is beyond these limits." : `It would remove ${about}.`);
      return EXIT.ok;
    }
    if (!yes && !(await askFor(terminal, `Remove ${about} from the record? It cannot be undone.`, "--yes"))) return EXIT.failed;
    const progress = createProgress(terminal);
    let total = 0;
    for (let { removed } = await step({}); removed > 0; { removed } = await step({})) {
      total += removed;
      progress.show(`${countText(total, "event")} of ${about} …`);
    }
    progress.end();
    terminal.print(String(total));
    terminal.say(`Removed ${countText(total, "event")}.`);
    return EXIT.ok;
  },
};
