import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { EraseAnswer, SessionsAnswer } from "../../hub/protocol.js";
import { type CommandGroup, type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { findSession } from "../find-session.js";
import { countText, durationText } from "../format/amounts.js";
import { shortIds } from "../format/short-ids.js";
import { tableLines } from "../format/table.js";
import { agoText } from "../format/times.js";
import { connectHub } from "../hub-client.js";
import { limit, text } from "../option-values.js";
import { withProgress } from "../progress.js";
import { askFor } from "../prompt.js";
import { userName } from "../user-name.js";
import { storePath } from "../verify/verify-transcript-file.js";

interface SessionsOptions {
  readonly limit?: number;
  readonly json?: boolean;
}

export const command: CommandGroup = {
  usual: "list",
  subcommands: [
    { name: "list", access: "read", summary: "list sessions, newest first (default)", load: async () => ({ command: list }) },
    { name: "delete", access: "operate", summary: "delete a session for good", load: async () => ({ command: erase }) },
  ],
  define(command) {
    command.addHelpText("after", examples("hookline sessions", "hookline sessions delete 868e35e6"));
  },
};

const list: CommandModule<SessionsOptions> = {
  define(command) {
    command
      .option("-n, --limit <count>", "how many (default: 20)", limit)
      .option("--json", "print JSON")
      .addHelpText("after", examples("hookline sessions", "hookline sessions --json | jq '.[].id'"));
  },

  async run(terminal, { limit: most = 20, json = false }) {
    const hub = await connectHub(terminal.env);
    const { sessions } = await hub.get<SessionsAnswer>("/api/sessions", new URLSearchParams({ limit: String(most) }));
    if (json) terminal.print(inertJson(JSON.stringify(sessions, undefined, 2)));
    else if (sessions.length === 0) terminal.say("No sessions yet. To create one: hookline demo");
    else for (const line of tableLines(heading, rowsOf(sessions), terminal.columns)) terminal.print(line);
    return EXIT.ok;
  },
};

const heading = ["SESSION", "TITLE", "AGENT", "MODEL", "PROJECT", "EVENTS", "DENIED", "LASTED", "LAST EVENT"];

function rowsOf(sessions: SessionsAnswer["sessions"]): string[][] {
  const ids = shortIds(sessions.map(({ id }) => id));
  return sessions.map(({ title = "–", app, agent, model = "–", cwd, events, denied, firstAt, lastAt }, index) => [
    ids[index] as string,
    title,
    agent ?? (app || "unknown"),
    model,
    cwd === undefined ? "–" : basename(cwd),
    String(events),
    String(denied),
    durationText(lastAt - firstAt),
    agoText(lastAt),
  ]);
}

/** The hub rewrites a store of gigabytes. */
const ERASE_MS = 600_000;

const erase: CommandModule<{ readonly yes?: boolean; readonly json?: boolean }> = {
  define(command) {
    command
      .argument("<session>", "the session, or the beginning of its id", text)
      .option("--yes", "do not ask")
      .option("--json", "print JSON")
      .addHelpText("after", "\nDeletes its events, and those of the sessions that it started, from the store, the search and the counts.")
      .addHelpText("after", "`hookline verify` then says that the session was deleted, when and by whom.")
      .addHelpText("after", examples("hookline sessions delete 868e35e6", "hookline sessions delete 868e35e6 --yes"));
  },

  async run(terminal, { yes = false, json = false }, [given = ""]) {
    const hub = await connectHub(terminal.env);
    const { id, events } = await findSession(hub, given);
    const what = `session ${inertText(id)}, with ${countText(events, "event")}`;
    if (!yes && !(await askFor(terminal, `Delete the ${what}, and the sessions that it started? It cannot be undone.`, "--yes")))
      return EXIT.failed;
    const answer = await withProgress(terminal, "Deleting", () =>
      hub.post<EraseAnswer>(`/api/sessions/${encodeURIComponent(id)}/delete`, JSON.stringify({ by: userName() }), undefined, ERASE_MS),
    );
    if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else for (const session of answer.sessions) terminal.print(inertText(session));
    const { say } = terminal;
    say(`Deleted for good: ${countText(answer.events, "event")} of ${countText(answer.sessions.length, "session")}.`);
    for (const copy of answer.copies) say(`Also deleted: ${inertText(copy)}, a copy of the store from before an update.`);
    for (const { name, files, fault } of answer.elsewhere)
      say(
        fault === undefined
          ? `Deleted at ${inertText(name)}: ${countText(files, "file")}.`
          : `! ${inertText(name)} may still have copies: ${inertText(fault)}`,
      );
    if (answer.left.length > 0)
      say(`! Delete these copies yourself: ${answer.left.map(inertText).join(", ")}. Hookline cannot delete what they received.`);
    for (const path of await setAside(terminal.env)) say(`! ${inertText(path)} may still hold it. Delete it when you no longer need it.`);
    say("Backups that you have made still hold it.");
    return answer.elsewhere.some(({ fault }) => fault !== undefined) ? EXIT.failed : EXIT.ok;
  },
};

/** What `doctor --repair`, `restore` or a hub whose store was replaced has moved out of the way. */
const ASIDE = /^(?:damaged-|before-restore-|events\.db\.foreign-)/;

async function setAside(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const folders = new Set([stateFolder(env), dirname(await storePath(undefined, env))]);
  return [...folders].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => ASIDE.test(name))
      .map((name) => join(folder, name)),
  );
}

/** Those of a managed hub are not for its users. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
