import { inertText } from "@hookline/core/internal/text";
import type { PhoneAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { type CommandGroup, type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";
import { acceptPhone } from "../open/open-phone.js";

export const command: CommandGroup = {
  usual: "list",
  subcommands: [
    {
      name: "list",
      access: "read",
      summary: "list the passkeys that answer calls from phones (default)",
      load: async () => ({ command: list }),
    },
    {
      name: "accept",
      access: "operate",
      summary: "let the phone that shows this number answer calls",
      load: async () => ({ command: accept }),
    },
    { name: "remove", access: "operate", summary: "remove the passkey of a phone", load: async () => ({ command: remove }) },
  ],
  define(command) {
    command
      .addHelpText("after", "\nTo add a phone: hookline open --phone")
      .addHelpText("after", examples("hookline phones", "hookline phones accept 123456", 'hookline phones remove "iPhone"'));
  },
};

const list: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command.option("--json", "print JSON").addHelpText("after", examples("hookline phones list"));
  },
  async run(terminal, { json = false }) {
    const facts = await (await connectHub(terminal.env)).get<PhoneAnswer>("/api/phone");
    if (json) terminal.print(JSON.stringify(facts, undefined, 2));
    else print(facts, terminal);
    return EXIT.ok;
  },
};

function print({ publicUrl, passkeys, browsers }: PhoneAnswer, { print, say, paint }: Parameters<CommandModule["run"]>[0]): void {
  const row = (label: string, text: string): void => print(`${paint("dim", label.padEnd(10))} ${text}`);
  row("address", publicUrl ?? "none: phones can only look, in your own network");
  for (const { name, addedAt } of passkeys) row("passkey", `${inertText(name)}, added ${addedAt.slice(0, 10)}`);
  row("notified", `${browsers} ${browsers === 1 ? "browser" : "browsers"}`);
  if (passkeys.length === 0) say(publicUrl === undefined ? "How to set it up: docs/phone.md" : "To add a phone: hookline open --phone");
}

const accept: CommandModule = {
  define(command) {
    command
      .argument("<number>", "the six digits that the phone shows")
      .addHelpText("after", "\nCheck that your own phone shows the number. Another device would show another one.")
      .addHelpText("after", examples("hookline phones accept 123456"));
  },
  async run(terminal, _options, [number = ""]) {
    await acceptPhone(await connectHub(terminal.env), terminal, number);
    return EXIT.ok;
  },
};

const remove: CommandModule = {
  define(command) {
    command.argument("<name>", "the passkey's name, or its id").addHelpText("after", examples('hookline phones remove "iPhone"'));
  },
  async run(terminal, _options, [wanted = ""]) {
    const hub = await connectHub(terminal.env);
    const { passkeys } = await hub.get<PhoneAnswer>("/api/phone");
    const found = passkeys.filter(({ id, name }) => id === wanted || name === wanted);
    const [phone] = found;
    if (phone === undefined || found.length > 1)
      throw new CliError(
        found.length > 1 ? `Several passkeys are called "${wanted}". Use the id.` : `No phone has a passkey "${wanted}".`,
        {
          exitCode: EXIT.failed,
          fix: { run: "hookline phones list --json" },
        },
      );
    await hub.post<PhoneAnswer>("/api/phone/remove", JSON.stringify({ id: phone.id }));
    terminal.say(
      `The passkey "${inertText(phone.name)}" answers nothing any more. Every phone is signed out; the others sign in with their passkeys.`,
    );
    return EXIT.ok;
  },
};
