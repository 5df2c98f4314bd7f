import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { inertText } from "@hookline/core/internal/text";
import { MODE_MEANS } from "../../hub/mode.js";
import { encodeBase32 } from "../../hub/protect/totp.js";
import type { ProtectAnswer, StatusAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { type CommandGroup, type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { askOldRecoveryCode } from "../protect/confirm.js";
import { newDerivedKey, newRecoveryCode, passphraseFault } from "../protect/derived-key.js";
import { openPerson, type Person } from "../protect/person.js";
import type { Terminal } from "../terminal.js";

export const command: CommandGroup = {
  usual: "status",
  subcommands: [
    {
      name: "status",
      access: "read",
      summary: "show whether it is on, and what to do next (default)",
      load: async () => ({ command: status }),
    },
    { name: "on", access: "operate", summary: "choose a passphrase and turn it on", load: async () => ({ command: on }) },
    { name: "off", access: "operate", summary: "turn it off", load: async () => ({ command: off }) },
    { name: "passphrase", access: "operate", summary: "set another passphrase", load: async () => ({ command: passphrase }) },
    {
      name: "totp",
      access: "operate",
      summary: "let codes of an authenticator app confirm (managed mode)",
      load: async () => ({ command: totp }),
    },
    { name: "code", access: "operate", summary: "replace the recovery code", load: async () => ({ command: code }) },
    {
      name: "recover",
      access: "operate",
      summary: "replace every factor with the recovery code",
      load: async () => ({ command: recover }),
    },
  ],
  define(command) {
    command
      .addHelpText(
        "after",
        "\nWhile protect is on, the hub approves calls and changes guards only after you have confirmed exactly that with a passkey or a passphrase. Programs that run as you, also agents, have neither.",
      )
      .addHelpText("after", examples("hookline protect", "hookline protect on", "hookline protect off"));
  },
};

const status: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command.option("--json", "print JSON").addHelpText("after", examples("hookline protect status"));
  },
  async run(terminal, { json = false }) {
    const facts = await readFacts(await connectHub(terminal.env));
    if (json) terminal.print(JSON.stringify(facts, undefined, 2));
    else printFacts(facts, terminal);
    return EXIT.ok;
  },
};

function printFacts(
  { isOn, means, locked, since, passphrase, totp, passkeys, passkeysAt }: ProtectAnswer,
  { print, say, paint }: Terminal,
): void {
  const row = (label: string, text: string): void => print(`${paint("dim", label.padEnd(10))} ${text}`);
  row("protect", isOn ? (locked === undefined ? `on since ${since}` : "locked") : "off");
  row("means", locked ?? means);
  if (!isOn) return say("To turn it on with a passphrase: hookline protect on. With a passkey, in the dashboard: hookline open --approve");
  if (locked !== undefined) return say("Run: hookline protect recover");
  row("passphrase", passphrase ? "set" : totp ? "none" : "none: commands that operate work in the dashboard only");
  if (totp) row("app", "codes of an authenticator app");
  row("passkeys", passkeys.length === 0 ? "none" : passkeys.map(({ name }) => inertText(name)).join(", "));
  if (passkeys.length === 0 && passkeysAt !== undefined) say("To add a passkey, in the dashboard: hookline open --approve");
  if (!passphrase) say("To add a passphrase, in the dashboard: hookline open --approve");
  if (passkeysAt === undefined) say("Passkeys do not work now, because the dashboard cannot use its own name. Run: hookline status");
}

const on: CommandModule = {
  define(command) {
    command
      .addHelpText(
        "after",
        "\nYou type the passphrase on the terminal. It cannot be an argument, a variable or a pipe: a file or a process list that holds it can be read by the agents it protects from.",
      )
      .addHelpText("after", examples("hookline protect on"));
  },
  async run(terminal) {
    const hub = await connectHub(terminal.env);
    if ((await readFacts(hub)).isOn) throw new CliError("hookline protect is on already.", { fix: { run: "hookline protect status" } });
    await withPerson(async (person) => {
      person.tell("From now on, approving calls and changing the guards will need a passphrase that only you know.");
      const secret = await askNewPassphrase(person);
      const recovery = await giveRecoveryCode(person);
      await hub.post(
        "/api/protect/on",
        JSON.stringify({ passphrase: await newDerivedKey(secret), recovery: await newDerivedKey(recovery) }),
      );
    });
    terminal.say("Protect is on. To use a passkey as well, open the dashboard: hookline open --approve");
    return EXIT.ok;
  },
};

const off: CommandModule = {
  define(command) {
    command.addHelpText("after", examples("hookline protect off"));
  },
  async run(terminal) {
    const hub = await connectHub(terminal.env);
    if (!(await readFacts(hub)).isOn) {
      terminal.say("Protect is off already.");
      return EXIT.ok;
    }
    await hub.post("/api/protect/off");
    terminal.say(`Protect is off. ${MODE_MEANS.plain}`);
    return EXIT.ok;
  },
};

const passphrase: CommandModule = {
  define(command) {
    command.addHelpText("after", examples("hookline protect passphrase"));
  },
  async run(terminal) {
    const hub = await connectProtected(terminal);
    const secret = await withPerson(askNewPassphrase);
    await hub.post("/api/protect/factors", JSON.stringify({ passphrase: await newDerivedKey(secret) }));
    terminal.say("The new passphrase counts from now on.");
    return EXIT.ok;
  },
};

const totp: CommandModule<{ readonly remove?: boolean }> = {
  define(command) {
    command
      .option("--remove", "codes no longer confirm anything")
      .addHelpText(
        "after",
        "\nOnly in managed mode: the hub must know the secret, and elsewhere every program that runs as you could read it. A code works once, and one step of 30 seconds early or late.",
      )
      .addHelpText("after", examples("sudo hookline protect totp", "sudo hookline protect totp --remove"));
  },
  async run(terminal, { remove = false }) {
    const hub = await connectHub(terminal.env);
    if (remove) {
      await hub.post("/api/protect/factors/remove", JSON.stringify({ totp: true }));
      terminal.say("Codes of an app no longer confirm anything.");
      return EXIT.ok;
    }
    const { isOn } = await readFacts(hub);
    const { mode } = await hub.get<StatusAnswer>("/api/status");
    if (mode !== "managed")
      throw new CliError("Codes of an app confirm in managed mode only: here, every program that runs as you could read their secret.", {
        fix: isOn ? "A passkey or a passphrase works here: hookline protect status" : { run: "hookline protect on" },
      });
    await withPerson(async (person) => {
      const secret = encodeBase32(randomBytes(20));
      person.tell(`Add this secret to your authenticator app. It is shown only now:\n\n  ${secret}\n\n  ${uriOf(secret)}\n`);
      const given = { secret, code: await askAppCode(person) };
      if (isOn) return void (await hub.post("/api/protect/factors", JSON.stringify({ totp: given })));
      const recovery = await giveRecoveryCode(person);
      await hub.post("/api/protect/on", JSON.stringify({ totp: given, recovery: await newDerivedKey(recovery) }));
    });
    terminal.say(`${isOn ? "" : "Protect is on. "}Codes of the app confirm from now on.`);
    return EXIT.ok;
  },
};

async function askAppCode(person: Person): Promise<string> {
  for (;;) {
    const code = (await person.askSecret("The code that the app shows: ")).trim();
    if (/^\d{6}$/.test(code)) return code;
    person.tell("A code has six digits.");
  }
}

/** As apps read it, from a QR code or by hand. */
function uriOf(secret: string): string {
  return `otpauth://totp/Hookline:${encodeURIComponent(hostname())}?secret=${secret}&issuer=Hookline`;
}

const code: CommandModule = {
  define(command) {
    command.addHelpText("after", examples("hookline protect code"));
  },
  async run(terminal) {
    const hub = await connectProtected(terminal);
    const recovery = await withPerson((person) => giveRecoveryCode(person, "new recovery code"));
    await hub.post("/api/protect/recovery", JSON.stringify({ recovery: await newDerivedKey(recovery) }));
    terminal.say("The new recovery code counts from now on, and the old one is void.");
    return EXIT.ok;
  },
};

const RECOVER = "/api/protect/recover";

const recover: CommandModule = {
  define(command) {
    command
      .addHelpText(
        "after",
        "\nYou type the old recovery code first; it works once. You then choose a new passphrase and get a new recovery code. Passkeys are removed.",
      )
      .addHelpText("after", examples("hookline protect recover"));
  },
  async run(terminal) {
    const hub = await connectProtected(terminal);
    // Only the request itself says which code is needed. This one is never confirmed, so its keys are never used.
    const unused = await newDerivedKey(newRecoveryCode());
    const needed = await hub.confirmation(RECOVER, JSON.stringify({ passphrase: unused, recovery: unused }));
    const [secret, recovery] = await withPerson(async (person) => {
      if (needed !== undefined) await askOldRecoveryCode(person, needed);
      return [await askNewPassphrase(person), await giveRecoveryCode(person, "new recovery code")];
    });
    const body = { passphrase: await newDerivedKey(secret), recovery: await newDerivedKey(recovery) };
    await hub.post(RECOVER, JSON.stringify(body));
    terminal.say("Every factor was replaced. The new passphrase and the new recovery code count from now on.");
    return EXIT.ok;
  },
};

function readFacts(hub: HubClient): Promise<ProtectAnswer> {
  return hub.get<ProtectAnswer>("/api/protect");
}

async function connectProtected(terminal: Terminal): Promise<HubClient> {
  const hub = await connectHub(terminal.env);
  if ((await readFacts(hub)).isOn) return hub;
  throw new CliError("hookline protect is off.", { fix: { run: "hookline protect on" } });
}

async function withPerson<T>(act: (person: Person) => Promise<T>): Promise<T> {
  const person = openPerson(
    "Run it in a terminal yourself. A passkey needs no terminal; add one in the dashboard: hookline open --approve",
  );
  try {
    return await act(person);
  } finally {
    person.close();
  }
}

async function askNewPassphrase(person: Person): Promise<string> {
  for (;;) {
    const secret = await person.askSecret("New passphrase: ");
    const fault = passphraseFault(secret);
    if (fault !== undefined) {
      person.tell(fault);
      continue;
    }
    if ((await person.askSecret("The same again: ")) === secret) return secret;
    person.tell("The two differ.");
  }
}

/** On the terminal only: what is printed to standard output may end in a file. */
async function giveRecoveryCode(person: Person, name = "recovery code"): Promise<string> {
  const recovery = newRecoveryCode();
  const last = recovery.slice(-4);
  person.tell(
    `\nYour ${name}, which is shown only now and works once:\n\n  ${recovery}\n\nKeep it on paper or in a password manager, where no program that runs as you can read it. Without your factor and without this code, protect cannot be turned off.`,
  );
  while ((await person.askSecret("Type its last four characters: ")).trim().toUpperCase() !== last)
    person.tell("These are not its last four.");
  return recovery;
}
