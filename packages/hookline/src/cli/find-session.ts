import { inertText } from "@hookline/core/internal/text";
import type { SessionsAnswer } from "../hub/protocol.js";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import type { HubClient } from "./hub-client.js";

type SessionRow = SessionsAnswer["sessions"][number];

/** How many of the sessions that a word may mean are named. */
const NAMED = 5;

/** The session with this id, or the only one whose id begins like this. */
export async function findSession(hub: Pick<HubClient, "get">, given: string): Promise<SessionRow> {
  const list = async (query: Record<string, string>) =>
    (await hub.get<SessionsAnswer>("/api/sessions", new URLSearchParams(query))).sessions;
  const found = given === "" ? [] : await list({ begins: given, limit: "1000" });
  const [only, second] = found;
  const exact = found.find(({ id }) => id === given);
  if (exact !== undefined) return exact;
  const fix = { run: "hookline sessions" };
  if (only === undefined)
    throw new CliError(`No session has an id that begins with "${inertText(given)}".`, { exitCode: EXIT.failed, fix });
  if (second === undefined) return only;
  const named = found.slice(0, NAMED).map(({ id }) => inertText(id));
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : "";
  throw new CliError(`"${inertText(given)}" is the beginning of ${found.length} sessions: ${named.join(", ")}${more}.`, {
    exitCode: EXIT.usage,
    fix,
  });
}
