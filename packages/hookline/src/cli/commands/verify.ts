import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { errorText, stateFolder } from "@hookline/core/internal/machine";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { KeptHead, VerifyAnswer } from "../../hub/protocol.js";
import { refuseLostDatabase } from "../../hub/store/store-files.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectIfRunning } from "../hub-client.js";
import { chainHead, text } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { storePath, type VerifyOptions, verifyTranscriptFile } from "../verify/verify-transcript-file.js";

/** Long enough to read a store of several gigabytes. */
const TIMEOUT_MS = 600_000;

export const command: CommandModule<VerifyOptions> = {
  define(command) {
    command
      .argument("[transcript]", "a transcript file to verify instead, also against the heads that the hub has received", text)
      .option("--head <number:hash>", "a head that you noted earlier: it must still be part of the chain", chainHead)
      .option("--data <folder>", "where the store is, if no hub runs (default: as in hookline.toml, else the state folder)", text)
      .option("--strict", "also fail for a transcript that was not closed, or that the hub does not know")
      .option("--json", "print JSON")
      .addHelpText("after", "\nFinds decisions that were edited, removed, reordered, inserted or cut off since they were stored.")
      .addHelpText("after", "Note the head elsewhere: only a copy that cannot be changed from here proves that no entries were cut off.")
      .addHelpText("after", "Exit code 1 when something is wrong with the record.")
      .addHelpText(
        "after",
        examples("hookline verify", "hookline verify --head 1042:9f2c…", "hookline verify agent.transcript.jsonl --strict"),
      );
  },

  async run(terminal, options, [transcript]) {
    const answer = transcript === undefined ? await verifyDecisions(options, terminal) : undefined;
    if (answer === undefined) return verifyTranscriptFile(resolve(transcript as string), options, terminal);
    if (options.json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else print(answer, terminal);
    return answer.ok ? EXIT.ok : EXIT.failed;
  },
};

async function verifyDecisions({ head, data }: VerifyOptions, terminal: Terminal): Promise<VerifyAnswer> {
  const hub = data === undefined ? await connectIfRunning(terminal.env) : undefined;
  if (hub !== undefined) {
    const query = new URLSearchParams(head === undefined ? {} : { head: `${head.n}:${head.hash}` });
    return hub.get<VerifyAnswer>("/api/verify", query, TIMEOUT_MS);
  }
  return verifyFile(await storePath(data, terminal.env), head, terminal);
}

async function verifyFile(path: string, head: VerifyOptions["head"], { env }: Terminal): Promise<VerifyAnswer> {
  refuseLostDatabase(path);
  if (!existsSync(path))
    throw new CliError(`There is no store at "${path}". Give its folder with --data, or start the hub.`, {
      fix: { run: "hookline up --detach" },
    });
  const [{ verifyStore }, { readKeptHeads }] = await Promise.all([
    import("../../hub/store/verify-store.js"),
    import("../../hub/store/decision-head.js"),
  ]);
  const noted: KeptHead[] = head === undefined ? [] : [{ ...head, from: "The head that was noted" }];
  try {
    return verifyStore(path, [...readKeptHeads(stateFolder(env), path), ...noted]);
  } catch (cause) {
    throw new CliError(`The store cannot be verified: ${errorText(cause)}.`, { fix: { run: "hookline doctor" }, cause });
  }
}

function print(answer: VerifyAnswer, { print, say, paint, paintTalk }: Terminal): void {
  const { decisions, removed, erased, uncovered, since, head, store, faults, problems } = answer;
  print(
    `${paint("dim", "decisions")} ${countText(decisions, "decision")} in the chain${since === undefined ? "" : `, since ${inertText(since)}`}`,
  );
  print(`${paint("dim", "head")}      ${head.n}:${inertText(head.hash)}`);
  print(`${paint("dim", "store")}     ${inertText(store)}`);
  if (removed > 0)
    print(`${paint("dim", "removed")}   ${countText(removed, "decision")}, by retention or with a deleted session; the rest verifies`);
  for (const { session, by, at, decisions: count } of erased)
    print(
      `${paint("dim", "deleted")}   session ${inertText(session)}, with ${countText(count, "decision")}, by ${inertText(by)} at ${inertText(at)}`,
    );
  if (uncovered > 0) print(`${paint("dim", "before")}    ${countText(uncovered, "decision")} stored before the chain began: not covered`);
  for (const { kind, message } of problems) say(`${paintTalk("red", kind)}: ${inertText(message)}`);
  if (faults > problems.length) say(`… and ${faults - problems.length} more.`);
  const stale = problems.find(({ kind, headFile }) => (kind === "replaced" || kind === "cut off") && headFile !== undefined)?.headFile;
  if (stale !== undefined)
    say(`If you replaced or restored the store yourself: stop the hub, remove ${inertText(stale)}, and start the hub again.`);
  say(faults === 0 ? "The record is intact." : `The record is not intact: ${countText(faults, "problem")}.`);
}
