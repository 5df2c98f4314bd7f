import { createHash } from "node:crypto";
import { z } from "zod";
import { originOf } from "../auth/host-guard.js";
import { json } from "../http/answer.js";
import { Refused, refusedAs } from "../http/refused.js";
import { readNewPasskey } from "../protect/passkeys.js";
import type { EnrolAnswer, EnrolOptionsAnswer } from "../protocol.js";
import { type Call, route } from "./route.js";
import { attestation, contract } from "./schemas.js";

/** These routes need no login. Each gives only what the holder of a link needs. */
const open = { scope: "public", access: "read" } as const;
const MAX_BYTES = 256 * 1024;

const enrolId = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: "is not the digest of a code." })
  .describe("SHA-256 of the code in the link, in hex. The hub does not learn the code.");

export const enrolOptions = route({
  ...open,
  method: "POST",
  path: "/api/fleet/enrol/options",
  summary: "Gives what a browser needs to make a passkey for a person of the fleet, with a link of an admin",
  body: z.strictObject({ id: enrolId }).register(contract, { id: "EnrolOptionsRequest" }),
  answer: {
    description: "For `navigator.credentials.create`.",
    body: z
      .object({
        person: z.string(),
        role: z.enum(["view", "approve", "policy", "admin"]),
        challenge: z.string(),
        rpId: z.string(),
        user: z.string().describe("Bytes in base64url, the same for each passkey of the person."),
        exclude: z.array(z.string()).describe("The ids of the passkeys that are known."),
      })
      .register(contract, { id: "EnrolOptionsAnswer" }),
  },
  handle(call) {
    const { person, challenge, place } = enrolmentOf(call);
    const user = createHash("sha256").update(`${place.rpId}\n${person.name}`).digest("base64url");
    const exclude = person.passkeys.filter(({ rpId }) => rpId === place.rpId).map(({ id }) => id);
    return json({
      person: person.name,
      role: person.role,
      challenge,
      rpId: place.rpId,
      user,
      exclude,
    } satisfies EnrolOptionsAnswer);
  },
});

export const enrolPasskey = route({
  ...open,
  method: "POST",
  path: "/api/fleet/enrol",
  summary: "Passes a new passkey on to the admin, whose command puts it on the roster",
  maxBytes: MAX_BYTES,
  body: z
    .strictObject({
      id: enrolId,
      response: attestation,
      proof: z
        .string()
        .regex(/^[0-9a-f]{64}$/, { error: "is not an HMAC." })
        .describe("HMAC-SHA-256 with the code, over the passkey's id, clientDataJSON and attestationObject, each on a line, in hex."),
    })
    .register(contract, { id: "EnrolRequest" }),
  answer: {
    description: "The admin's command has it, or will. The passkey works when the new roster is published.",
    body: z.object({ person: z.string() }).register(contract, { id: "EnrolAnswer" }),
  },
  async handle(call) {
    const { parts, body } = call;
    const { id, response, proof } = body;
    const { people, person, challenge, place } = enrolmentOf(call);
    await readNewPasskey(response, { ...place, name: person.name, isExpected: (given) => given === challenge });
    await parts.keepDashboardName?.(place.rpId);
    await refusedAs({ HL_NOT_FOUND: 404, HL_FLEET_SERVER: 503 }, people.enrol(id, { response, proof }));
    return json({ person: person.name } satisfies EnrolAnswer);
  },
});

function enrolmentOf({
  parts: { people },
  incoming,
  body: { id },
}: Pick<Call<unknown, unknown, { readonly id: string }>, "parts" | "incoming" | "body">) {
  const place = people.place(originOf(incoming));
  const found = people.people?.enrolment(id);
  const person = found && people.people?.find(found.person);
  if (people.people === undefined || found === undefined || person === undefined || found.origin !== place.origin)
    throw new Refused(404, "HL_NOT_FOUND", "This link is used, too old, for another address, or of another fleet.", {
      fix: "Ask the fleet's admin for a new one: hookline fleet people enrol <name>",
    });
  return { people: people.people, person, challenge: found.challenge, place };
}
