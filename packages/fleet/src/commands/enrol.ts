import { HookError } from "@hookline/core/internal/machine";
import type { NatsConnection } from "@nats-io/transport-node";
import type { CommandModule, FleetTools, Terminal } from "hookline/internal/fleet";
import type { Credential } from "../credentials/credential.js";
import type { AdminChoice } from "../credentials/joined.js";
import { recordAudit } from "../nats/audit.js";
import { subjects } from "../nats/subjects.js";
import { detailsIn, ENROLMENT_OPENED, type MadePasskey, newCode, PASSKEY_MADE, readMade, signEnrolment } from "../people/enrolment.js";
import { adminOptions, applyChange, changeTenant, openTenant, withConnection } from "./context.js";

const WAIT_MS = 600_000;

interface EnrolOptions extends AdminChoice {
  readonly at?: string;
}

/** Lets a person make one passkey at the fleet's dashboard, and puts it on the roster. */
export function peopleEnrolCommand(tools: FleetTools): CommandModule<EnrolOptions> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command.argument("<name>", "the name of the person", option.text), tools)
        .option("--at <url>", "the dashboard's address, if the fleet hub runs on another machine", option.text)
        .addHelpText(
          "after",
          "\nPrints a link for the person and waits ten minutes: the link lets the person make one passkey, which then signs in and answers questions.",
        )
        .addHelpText("after", "The passkey works at this address only, and counts as soon as the new roster is published.")
        .addHelpText(
          "after",
          examples("hookline fleet people enrol alex", "hookline fleet people enrol alex --at https://fleet.example.com"),
        );
    },

    async run(terminal, { at, ...choice }, [name = ""]) {
      const { tenant } = openTenant(terminal.env, choice);
      if (!tenant.roster.people.some((person) => person.name === name))
        throw new HookError("HL_FLEET_CREDENTIALS", `The fleet has no person "${name}".`, {
          fix: { run: `hookline fleet people add ${name || "<name>"} --role approve` },
        });
      const { admin } = tenant;
      if (admin?.signingKey === undefined)
        throw new HookError("HL_FLEET_CREDENTIALS", "The admin's folder has no credential of an admin.", {
          fix: { run: "hookline fleet people" },
        });
      const origin = at === undefined ? await localDashboard(tools, terminal, tenant.fleet) : originOf(at);
      const code = newCode();
      const made = await withConnection(admin, (connection) =>
        waitForPasskey(connection, {
          admin,
          person: name,
          origin,
          code,
          say: () => sayLink(terminal, name, `${origin}/#enrol.${code.code}`),
        }),
      );
      const rpId = new URL(origin).hostname;
      const passkey = await tools.readNewPasskey(made.response, {
        origin,
        rpId,
        name,
        isExpected: (challenge) => challenge === code.challenge,
      });
      await changeTenant(tools, terminal.env, choice, async (found) => {
        found.tenant.addPasskey(name, { id: passkey.id, publicKey: passkey.publicKey, rpId });
        await applyChange(found.admin, found.tenant, { action: "passkey-enrolled", subject: name, details: { rpId } }, terminal);
      });
      terminal.print(`${name} can sign in at ${origin} with the new passkey.`);
      return EXIT.ok;
    },
  };
}

function sayLink({ say, print }: Terminal, name: string, link: string): void {
  say(
    `Give this link to ${name} over a safe channel: anyone who opens it can make ${name}'s passkey. It works for ten minutes, while this command waits:`,
  );
  print(link);
}

interface Waiting {
  readonly admin: Credential;
  readonly person: string;
  readonly origin: string;
  readonly code: ReturnType<typeof newCode>;
  readonly say: () => void;
}

/** Opens the enrolment, and resolves with the first passkey that was made with its code. */
async function waitForPasskey(connection: NatsConnection, { admin, person, origin, code, say }: Waiting): Promise<MadePasskey> {
  const subscription = connection.subscribe(subjects.audit("hub", "*", PASSKEY_MADE));
  const timer = setTimeout(() => subscription.unsubscribe(), WAIT_MS);
  try {
    const { id, challenge } = code;
    const { fleet, name: by, signingKey = "" } = admin;
    const until = Date.now() + WAIT_MS;
    const signed = signEnrolment({ format: 1, fleet, id, person, challenge, origin, by, until }, signingKey);
    await recordAudit(connection, admin, { action: ENROLMENT_OPENED, subject: person, details: signed });
    say();
    for await (const { data } of subscription) {
      const made = readMade(detailsIn(data), code.code);
      if (made !== undefined) return made;
    }
  } finally {
    clearTimeout(timer);
    subscription.unsubscribe();
  }
  throw new HookError("HL_FLEET_CREDENTIALS", `No passkey was made for ${person} within ten minutes.`, {
    fix: { run: `hookline fleet people enrol ${person}` },
  });
}

/** The dashboard of the fleet hub that runs on this machine. */
async function localDashboard({ connectIfRunning }: FleetTools, { env }: Terminal, fleet: string): Promise<string> {
  const hub = await connectIfRunning(env);
  const answer = await hub?.get<{ readonly fleet?: string; readonly role: string; readonly dashboard?: string }>("/api/fleet");
  if (answer?.role === "hub" && answer.fleet === fleet && answer.dashboard !== undefined) return answer.dashboard;
  throw new HookError("HL_FLEET_CREDENTIALS", "No fleet hub of this fleet runs on this machine, so its dashboard is not known.", {
    fix: "Start it with `hookline fleet up`, or name its address: --at https://fleet.example.com",
  });
}

/** A browser makes passkeys only over TLS, and on this machine. */
function originOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && url.hostname.endsWith(".localhost"))) return url.origin;
  throw new HookError("HL_BAD_REQUEST", `"${given.slice(0, 200)}" is not the address of a dashboard where passkeys work.`, {
    fix: "Give its https address.",
  });
}
