import { errorText } from "@hookline/core/internal/machine";
import { inertText, shellWord } from "@hookline/core/internal/text";
import type { SteerAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { findSession } from "../find-session.js";
import { connectHub } from "../hub-client.js";
import { readText } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { userName } from "../user-name.js";

interface Order {
  readonly kind: "inject" | "remind";
  /** As typed: the session's id or the start of it, and the words of the text. */
  readonly args: readonly string[];
  /** The body of the request without its author. */
  readonly body: (text: string) => object;
}

/** `hookline inject` and `hookline remind`: sends the user's text to a session. */
export async function steerSession({ kind, args, body }: Order, terminal: Terminal): Promise<number> {
  const [given = "", ...words] = args;
  const text = await textIn(words, kind, terminal);
  const hub = await connectHub(terminal.env);
  const { id: session } = await findSession(hub, given);
  const request = JSON.stringify({ ...body(text), by: userName(), via: "cli" });
  const { id, status, agent } = await hub.post<SteerAnswer>(`/api/sessions/${encodeURIComponent(session)}/${kind}`, request);
  terminal.print(id);
  const fate = status === "sent" ? "Sent to" : "Waiting for the next event of";
  terminal.say(
    `${fate} ${inertText(agent)}. To see when the model gets it: hookline tail -e session:steer -s ${shellWord(inertText(session))}`,
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
