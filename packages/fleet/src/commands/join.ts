import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { HookError, readManaged } from "@hookline/core/internal/machine";
import type { CommandModule, FleetTools, Terminal } from "hookline/internal/fleet";
import { type Credential, decodeInvite, isInvite, parseCredential } from "../credentials/credential.js";
import { readJoined, readPerson, removeCredential, saveCredential } from "../credentials/joined.js";
import { fetchRoster, withConnection } from "./context.js";

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
      if (credential.kind !== "person") checkManaged();
      const known = credential.kind === "person" ? undefined : readJoined(terminal.env);
      if (known !== undefined && (known.fleet !== credential.fleet || known.name !== credential.name))
        throw new HookError("HL_FLEET_CREDENTIALS", `This hub takes part in a fleet already, as "${known.name}".`, {
          fix: { run: "hookline fleet leave" },
        });
      await tryOut(credential, terminal);
      saveCredential(terminal.env, credential);
      if (credential.kind === "person") {
        terminal.say(`Commands of this user act in the fleet as ${credential.name}, with the role ${credential.role ?? "view"}.`);
        return EXIT.ok;
      }
      if (!(await tellHub(tools, terminal))) await (await tools.policyTools()).joinFleet(terminal.env);
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

/** A managed hub runs as another user, whose files this user cannot write. */
function checkManaged(): void {
  if (readManaged() === undefined) return;
  throw new HookError("HL_FLEET_CREDENTIALS", "The hub of this machine is managed, and a managed hub cannot join a fleet yet.", {
    fix: "Join with a hub of a user: see docs/fleet.md.",
  });
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
      const found = person ? readPerson(terminal.env) : readJoined(terminal.env);
      removeCredential(terminal.env, person ? "person" : "hub");
      if (!person && !(await tellHub(tools, terminal))) await (await tools.policyTools()).leaveFleet(terminal.env);
      terminal.say(found === undefined ? "This hub takes part in no fleet." : `"${found.name}" has left the fleet.`);
      return EXIT.ok;
    },
  };
}

/** False if no hub runs: it reads the file when it starts. */
export async function tellHub({ connectIfRunning }: FleetTools, { env, say }: Terminal): Promise<boolean> {
  const hub = await connectIfRunning(env);
  if (hub === undefined) {
    say("The hub does not run. When it starts, it reads this: hookline up --detach");
    return false;
  }
  await hub.post("/api/fleet/follow", "{}").catch((error: unknown) => {
    // A hub that was started before this version was installed.
    if ((error as { readonly status?: unknown }).status !== 404) throw error;
    say("The running hub is of an older version. Start it again: hookline down; hookline up --detach");
  });
  return true;
}
