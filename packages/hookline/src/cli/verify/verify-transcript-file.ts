import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorText, stateFolder } from "@hookline/core/internal/machine";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { Verification } from "@hookline/core/transcript";
import type { ChainHead, TranscriptHeadRow, TranscriptHeadsAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectIfRunning } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

/** Verifies a transcript's own chain, and compares it with every head that the hub has received. */
export async function verifyTranscriptFile(path: string, options: VerifyOptions, terminal: Terminal): Promise<number> {
  if (!existsSync(path)) throw new CliError(`There is no file "${path}".`, { fix: { run: "hookline verify --help" } });
  const { verifyTranscript } = await import("@hookline/core/transcript");
  const { id } = verifyTranscript(path);
  const known = id === undefined ? [] : await headsOf(id, options, terminal);
  const noted = options.head === undefined ? [] : [options.head];
  const found = verifyTranscript(path, { head: [...known, ...noted] });
  const isUnsure = !found.closed || known.length === 0;
  if (options.json) terminal.print(inertJson(JSON.stringify({ ...found, known: known.length }, undefined, 2)));
  else print(found, known, terminal);
  return found.ok && !(options.strict === true && isUnsure) ? EXIT.ok : EXIT.failed;
}

async function headsOf(id: string, { data }: VerifyOptions, { env, say }: Terminal): Promise<readonly TranscriptHeadRow[]> {
  try {
    const hub = data === undefined ? await connectIfRunning(env) : undefined;
    if (hub !== undefined) return (await hub.get<TranscriptHeadsAnswer>(`/api/transcripts/${id}`)).heads;
    const path = await storePath(data, env);
    if (!existsSync(path)) return [];
    const { readHeadsFrom } = await import("../../hub/store/transcript-heads.js");
    return readHeadsFrom(path, id);
  } catch (error) {
    say(`The hub's heads cannot be read, so only the file itself is verified: ${errorText(error)}`);
    return [];
  }
}

function print({ ok, closed, entries, head, problems }: Verification, known: readonly TranscriptHeadRow[], terminal: Terminal): void {
  const { print, say, paint, paintTalk } = terminal;
  print(`${paint("dim", "entries")} ${countText(entries, "entry", "entries")}, ${closed ? "closed" : "not closed"}`);
  print(`${paint("dim", "head")}    ${head.n}:${head.hash}`);
  print(`${paint("dim", "hub")}     ${known.length === 0 ? "has no head of this transcript" : knownText(known)}`);
  for (const { kind, message } of problems) say(`${paintTalk("red", kind)}: ${inertText(message)}`);
  if (ok && !closed)
    say(
      "The transcript was not closed: it is still being written, or its process was killed, or entries after the last known head were cut off.",
    );
  if (ok && known.length === 0) say("Without a head that was kept elsewhere, a chain that was cut off or recomputed looks intact.");
  say(ok ? "The transcript is intact." : `The transcript is not intact: ${countText(problems.length, "problem")}.`);
}

function knownText(known: readonly TranscriptHeadRow[]): string {
  const last = known.at(-1);
  return `knows ${countText(known.length, "head")}, the last at entry ${last?.n}${last?.isClosed ? ", closed" : ""}`;
}

export interface VerifyOptions {
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly head?: Pick<ChainHead, "n" | "hash">;
  readonly data?: string;
}

/** Where a hub would store its events. */
export async function storePath(data: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  if (data !== undefined) return join(resolve(data), "events.db");
  const [{ loadConfig }, { configPath }] = await Promise.all([
    import("../../config/load-config.js"),
    import("../../config/config-path.js"),
  ]);
  const { config } = await loadConfig(configPath(env));
  return join(config?.hub.data ?? stateFolder(env), "events.db");
}
