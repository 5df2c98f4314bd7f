import { inertText } from "@hookline/core/internal/text";
import { renderUnicodeCompact } from "uqr";
import type { LinkAnswer, PhoneAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { createPrompt } from "../prompt.js";
import type { Terminal } from "../terminal.js";

interface PhoneOptions {
  /** The phone may only look. */
  readonly isReadOnly: boolean;
  /** An address of the hub in the local network. Phones that use it may only look. */
  readonly host: string | undefined;
}

/** Shows a link for a phone as a QR code. If the phone makes a passkey, a person types its number here. */
export async function openOnPhone(terminal: Terminal, { isReadOnly, host }: PhoneOptions): Promise<number> {
  const hub = await connectHub(terminal.env);
  const { publicUrl, passkeys } = await hub.get<PhoneAnswer>("/api/phone");
  if (publicUrl === undefined && host === undefined)
    throw new CliError("The hub has no public address, so a phone cannot reach it.", {
      exitCode: EXIT.failed,
      fix: 'Put publicUrl = "https://…" into [hub] of hookline.toml and start the hub again; docs/phone.md has recipes. To look only, in your own network: hookline up --host <address>, then hookline open --phone --host <address>',
    });
  const mayAnswer = !isReadOnly && host === undefined;
  const { url } = await hub.post<LinkAnswer>("/api/login/link", linkRequest(mayAnswer, host));
  terminal.print(qrText(url, terminal));
  terminal.print(url);
  terminal.say("Scan the code with the phone, or open the link there. It works once, within two minutes.");
  if (!mayAnswer) {
    terminal.say(
      host === undefined
        ? "This link is view-only. To answer calls as well: hookline open --phone"
        : "From this address the phone is view-only, because the connection is not encrypted. To answer calls, it needs [hub] publicUrl: docs/phone.md",
    );
    return EXIT.ok;
  }
  terminal.say(
    passkeys.length === 0
      ? "To answer calls, make a passkey on the phone: open Approvals there and press Make a passkey."
      : `These passkeys answer calls: ${passkeys.map(({ name }) => inertText(name)).join(", ")}. A phone that has none of them can make its own.`,
  );
  return acceptNumber(hub, terminal);
}

/** Lets the phone answer that shows this number. */
export async function acceptPhone(hub: HubClient, terminal: Terminal, number: string): Promise<void> {
  const code = number.replace(/[\s-]/g, "");
  if (!/^\d{6}$/.test(code)) throw new CliError("The number on the phone has six digits.", { exitCode: EXIT.usage });
  await hub.post<PhoneAnswer>("/api/phone/accept", JSON.stringify({ code }));
  terminal.say("The phone can answer calls now.");
}

async function acceptNumber(hub: HubClient, terminal: Terminal): Promise<number> {
  if (!terminal.isInteractive || !terminal.stdin.isTTY) {
    terminal.say("When the phone shows a number, run: hookline phones accept <number>");
    return EXIT.ok;
  }
  const prompt = createPrompt(terminal.stdin, process.stderr);
  try {
    const typed = await prompt.ask("Number that the phone shows, or Enter if it shows none: ");
    if (typed !== undefined && typed.trim() !== "") await acceptPhone(hub, terminal, typed);
    return EXIT.ok;
  } finally {
    prompt.close();
  }
}

function linkRequest(mayAnswer: boolean, host: string | undefined): string {
  const scopes = mayAnswer ? ["read", "approve"] : ["read"];
  return JSON.stringify(host === undefined ? { scopes, phone: true } : { scopes, host });
}

const [WHITE_ON_BLACK, PLAIN] = ["\u001b[97;40m", "\u001b[0m"];

/** Light blocks are the code's light squares. Where colours work, the terminal's own do not turn it around. */
function qrText(url: string, { paint }: Terminal): string {
  const isColoured = paint("bold", "x") !== "x";
  const lines = renderUnicodeCompact(url, { border: 2, ecc: "L" }).split("\n");
  return lines.map((line) => (isColoured ? `${WHITE_ON_BLACK}${line}${PLAIN}` : line)).join("\n");
}
