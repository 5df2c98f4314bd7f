import { HookError } from "@hookline/core";
import { createCredentialHider } from "@hookline/core/internal/sinks";
import { plainText } from "../message.js";
import { mailText } from "../smtp/mail-text.js";
import { SmtpRefused, type SmtpServer, sendMail } from "../smtp/send-mail.js";
import type { NotifyTarget, TargetOptions } from "../target.js";
import { secretOption, textOption } from "../target-options.js";

const ADDRESS = /^[^\s<>,;"\p{Cc}]{1,128}@[^\s<>,;"\p{Cc}]{1,255}$/u;

export const email: NotifyTarget = {
  type: "email",
  what: "Sends a mail through your SMTP server.",
  options: {
    host: textOption("The name of the SMTP server.", { isRequired: true }),
    port: { kind: "count", accepts: () => true, wants: "a port", what: "Its port.", default: '587, or 465 with `tls = "always"`' },
    tls: {
      kind: "choice",
      choices: ["starttls", "always", "never"],
      accepts: () => true,
      wants: "a choice",
      what: '`"starttls"`: encrypted after the greeting, or not sent. `"always"`: encrypted from the first byte. `"never"`: only to this machine.',
      default: '`"starttls"`',
    },
    user: textOption("The account.", { default: "no login" }),
    password: secretOption("Its password.", { default: "none" }),
    from: textOption("The sender's address.", { isRequired: true }),
    to: textOption("The receiver's address.", { isRequired: true }),
  },
  open(options, name) {
    const server = serverOf(options, name);
    const [from, to] = [addressOf("from", options, name), addressOf("to", options, name)];
    const hide = createCredentialHider(server.password === undefined ? [] : [server.password, server.user ?? ""]);
    return {
      async send(message, signal) {
        try {
          await sendMail(server, { from, to, text: mailText({ from, to, subject: message.title, text: plainText(message) }) }, signal);
          return { status: "sent" };
        } catch (error) {
          const cause = new HookError("HL_NOTIFY", `notify "${name}": ${server.host} did not take the mail: ${hide(reasonOf(error))}.`);
          return { status: error instanceof SmtpRefused && error.isFinal ? "failed" : "retry", cause };
        }
      },
      close: () => {},
    };
  },
};

function serverOf({ host, port, tls = "starttls", user, password }: TargetOptions, name: string): SmtpServer {
  if ((user === undefined) !== (password === undefined))
    throw new HookError("HL_BAD_OPTION", `notify "${name}": "user" and "password" need each other.`);
  return {
    host: String(host),
    port: Number(port ?? (tls === "always" ? 465 : 587)),
    tls: tls as SmtpServer["tls"],
    ...(user !== undefined && { user: String(user), password: String(password) }),
  };
}

function addressOf(key: "from" | "to", options: TargetOptions, name: string): string {
  const address = String(options[key]);
  if (ADDRESS.test(address)) return address;
  throw new HookError("HL_BAD_OPTION", `notify "${name}": "${key}" must be a mail address such as me@example.com.`);
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
