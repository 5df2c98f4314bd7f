import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { HookError } from "@hookline/core/internal/machine";
import type { CommandModule, FleetTools, Terminal } from "hookline/internal/fleet";
import { type Credential, decodeInvite, isInvite, parseCredential } from "../credentials/credential.js";
import { readPerson, removeCredential, saveCredential } from "../credentials/joined.js";
import { fetchRoster } from "../credentials/published-roster.js";
import { withConnection } from "./context.js";
import { giveToHub, joinedHub } from "./own-hub.js";

export function joinCommand(tools: FleetTools): CommandModule<{ readonly creds?: string }> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      command
        .argument("<invitation|url>", "the line of hookline fleet invite, or the server's address with --creds", option.text)
        .option("--creds <file>", "the file of hookline fleet invite --out or hookline fleet people add", option.text)
        .addHelpText("after", "\nThe hub decides as before; its events also go to the fleet. A running hub joins at once.")
        .addHelpText(
          "after",
          examples("hookline fleet join hl1-H4sIAAAAAAAAA…", "hookline fleet join tls://nats.example.com:4222 --creds laptop.json"),
        );
    },

    async run(terminal, { creds }, [given = ""]) {
      const credential = readGiven(given, creds);
      const known = credential.kind === "person" ? undefined : await joinedHub(tools, terminal.env);
      if (known !== undefined && (known.fleet !== credential.fleet || known.name !== credential.name))
        throw new HookError("HL_FLEET_CREDENTIALS", `This hub is already in a fleet, as "${known.name}".`, {
          fix: { run: "hookline fleet leave" },
        });
      await tryOut(credential, terminal);
      if (credential.kind === "person") {
        saveCredential(terminal.env, credential);
        terminal.say(`Commands of this user act in the fleet as ${credential.name}, with the role ${credential.role ?? "view"}.`);
        return EXIT.ok;
      }
      await giveToHub(tools, terminal, credential);
      terminal.say(`This hub has joined the fleet as ${credential.kind} "${credential.name}".`);
      return EXIT.ok;
    },
  };
}

function readGiven(given: string, creds: string | undefined): Credential {
  if (creds === undefined) {
    if (isInvite(given)) return decodeInvite(given);
    throw new HookError("HL_FLEET_CREDENTIALS", "An address alone is not enough: the server asks for a credential.", {
      fix: "Paste the line of `hookline fleet invite <host>`, or add --creds <file>.",
    });
  }
  const path = resolve(creds);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new HookError("HL_FLEET_CREDENTIALS", `"${path}" is not a credential of a fleet.`, {
      fix: "Give the file that `hookline fleet invite <host> --out <file>` wrote.",
    });
  }
  const credential = parseCredential(value, `"${path}"`);
  // The address that was typed counts: the admin may reach the server by another one.
  return parseCredential({ ...credential, urls: [given] }, `"${given.slice(0, 80)}"`);
}

/** A wrong credential is found now. A server that is away is not an error: the hub keeps trying. */
async function tryOut(credential: Credential, terminal: Terminal): Promise<void> {
  try {
    const roster = await withConnection(credential, (connection) => fetchRoster(connection, credential));
    if (roster === undefined)
      terminal.say(`${terminal.paintTalk("yellow", "!")} The fleet has no roster yet. Its admin runs: hookline fleet init`);
  } catch (error) {
    if (!(error instanceof HookError && error.code === "HL_FLEET_SERVER")) throw error;
    terminal.say(`${terminal.paintTalk("yellow", "!")} ${error.message}`);
    terminal.say("  The hub keeps trying.");
  }
}

export function leaveCommand(tools: FleetTools): CommandModule<{ readonly person?: boolean }> {
  const { examples, EXIT } = tools;
  return {
    define(command) {
      command
        .option("--person", "only forget the person that your commands act as")
        .addHelpText("after", "\nThe events in this hub's store stay. The fleet's policy no longer counts.")
        .addHelpText("after", examples("hookline fleet leave"));
    },
    async run(terminal, { person = false }) {
      const found = person ? readPerson(terminal.env) : await joinedHub(tools, terminal.env);
      if (person) removeCredential(terminal.env, "person");
      else await giveToHub(tools, terminal, null);
      terminal.say(found === undefined ? "This hub is not in a fleet." : `"${found.name}" has left the fleet.`);
      return EXIT.ok;
    },
  };
}
