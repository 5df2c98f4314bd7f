import { type CommandModule, examples } from "../command-module.js";
import { text, texts, turns } from "../option-values.js";
import { steerSession } from "../steering/steer-session.js";

interface RemindOptions {
  readonly tag?: readonly string[];
  readonly ttl?: number;
  readonly dedupeKey?: string;
  readonly preserve?: boolean;
  readonly propagate?: string;
  readonly role?: string;
}

export const command: CommandModule<RemindOptions> = {
  define(command) {
    command
      .argument("<session>", "its id or the start of it; hookline sessions lists them", text)
      .argument("<text...>", "the reminder, sent with each turn; - reads stdin")
      .option("--ttl <turns>", "how many turns it lasts (default: until the session ends)", turns)
      .option("--tag <word>", "a tag; repeat the option for more", texts)
      .option("--dedupe-key <key>", "replaces an earlier reminder with the same key", text)
      .option("--preserve", "keep it after a compaction")
      .option("--propagate <which>", "which subagents inherit it: all, session or none", text)
      .option("--role <role>", "its role: system, developer, user_block or ephemeral_cache", text)
      .addHelpText("after", "\nThe model gets the reminder in your name. It is recorded as session:steer.")
      .addHelpText(
        "after",
        examples(
          'hookline remind 7f3a "The release branch is frozen."',
          'hookline remind 7f3a --ttl 3 --dedupe-key branch "Work on main for now."',
        ),
      );
  },

  run(terminal, { tag, ttl, dedupeKey, preserve, propagate, role }, args) {
    const options = {
      ...(tag !== undefined && { tags: tag }),
      ...(ttl !== undefined && { ttlTurns: ttl }),
      ...(dedupeKey !== undefined && { dedupeKey }),
      ...(preserve === true && { preserveOnCompact: true }),
      ...(propagate !== undefined && { propagate }),
      ...(role !== undefined && { roleHint: role }),
    };
    return steerSession({ kind: "remind", args, body: (body) => ({ body, ...options }) }, terminal);
  },
};
