import { errorText } from "@hookline/core/internal/machine";
import { inertText, shellWord } from "@hookline/core/internal/text";
import type { SessionsAnswer, SteerAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";
import { readText } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { userName } from "../user-name.js";

/** As many as the hub lists at a time. */
const MOST = 1_000;

interface Order {
  readonly kind: "inject" | "remind";
  /** As typed: the session's id, or its beginning, and the text in as many words. */
  readonly args: readonly string[];
  /** The body of the request, but for its author. */
  readonly body: (text: string) => object;
}

/** `hookline inject` and `hookline remind`: sends the words of whoever sits at this terminal to a session. */
export async function steerSession({ kind, args, body }: Order, terminal: Terminal): Promise<number> {
  const [given = "", ...words] = args;
  const text = await textIn(words, kind, terminal);
  const hub = await connectHub(terminal.env);
  const { sessions } = await hub.get<SessionsAnswer>("/api/sessions", new URLSearchParams({ limit: String(MOST) }));
  const session = pick(sessions, given);
  const request = JSON.stringify({ ...body(text), by: userName(), via: "cli" });
  const { id, status, agent } = await hub.post<SteerAnswer>(`/api/sessions/${encodeURIComponent(session)}/${kind}`, request);
  terminal.print(id);
  const fate = status === "sent" ? "It was sent to" : "It waits for the next event of";
  terminal.say(
    `${fate} ${inertText(agent)}. To see when the model was told: hookline tail -e session:steer -s ${shellWord(inertText(session))}`,
  );
  return EXIT.ok;
}

async function textIn(words: readonly string[], kind: Order["kind"], { stdin }: Terminal): Promise<string> {
  const usage = (message: string) => new CliError(message, { exitCode: EXIT.usage, fix: { run: `hookline ${kind} --help` } });
  const isPiped = words.length === 1 && words[0] === "-";
  const text = isPiped
    ? await readText("-", stdin).catch((cause: unknown) => {
        throw usage(`The text cannot be read from stdin: ${errorText(cause)}.`);
      })
    : words.join(" ");
  if (text.trim() === "") throw usage(isPiped ? "There is no text on stdin." : "The text is empty.");
  return text;
}

/** One that the hub does not list may be known to it all the same: it says so if not. */
function pick(sessions: SessionsAnswer["sessions"], given: string): string {
  const [found, second] = sessions.filter(({ id }) => id.startsWith(given));
  if (found === undefined || sessions.some(({ id }) => id === given)) return given;
  if (second === undefined) return found.id;
  throw new CliError(`"${given}" is the beginning of several sessions' ids. Give more of it.`, {
    exitCode: EXIT.usage,
    fix: { run: "hookline sessions" },
  });
}
