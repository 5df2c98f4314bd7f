import { createHash } from "node:crypto";
import { z } from "zod";
import { cookieFor, readSecrets } from "../auth/authenticate.js";
import { originOf } from "../auth/host-guard.js";
import { json } from "../http/answer.js";
import { Refused, refusedAs } from "../http/refused.js";
import { readNewPasskey } from "../protect/passkeys.js";
import type { EnrolAnswer, EnrolOptionsAnswer, PersonLoginAnswer, SignInOptionsAnswer, SignInWaysAnswer } from "../protocol.js";
import { type Call, route } from "./route.js";
import { assertion, attestation, contract, noFields } from "./schemas.js";

/** These routes need no login. Each gives only what the holder of a passkey, or of a link, needs. */
const open = { scope: "public", access: "read" } as const;
const MAX_BYTES = 256 * 1024;

export const signInWays = route({
  ...open,
  method: "GET",
  path: "/api/fleet/sign-in",
  summary: "Tells whether people of a fleet sign in here with a passkey",
  answer: {
    description: "How people sign in.",
    body: z
      .object({ passkeys: z.boolean().describe("False in a hub that is not a fleet hub, and at addresses where passkeys do not work.") })
      .register(contract, { id: "SignInWaysAnswer" }),
  },
  handle({ parts: { people }, incoming }) {
    return json({ passkeys: people.people !== undefined && people.hasPlace(originOf(incoming)) } satisfies SignInWaysAnswer);
  },
});

export const signInOptions = route({
  ...open,
  method: "POST",
  path: "/api/fleet/sign-in/options",
  summary: "Gives what a browser needs to sign in with a passkey of the fleet",
  body: noFields,
  answer: {
    description: "For `navigator.credentials.get`.",
    body: z.object({ challenge: z.string(), rpId: z.string() }).register(contract, { id: "SignInOptionsAnswer" }),
  },
  handle({ parts: { people }, incoming }) {
    const { origin, rpId } = people.place(originOf(incoming));
    return json({ challenge: people.challenge(origin), rpId } satisfies SignInOptionsAnswer);
  },
});

export const signInPerson = route({
  ...open,
  method: "POST",
  path: "/api/fleet/sign-in",
  summary: "Signs a person of the fleet in with a passkey, for twelve hours",
  maxBytes: MAX_BYTES,
  body: z.strictObject({ response: assertion }).register(contract, { id: "PersonLoginRequest" }),
  answer: {
    description: "The dashboard is signed in.",
    body: z
      .object({ person: z.string(), key: z.string().describe("The dashboard sends it in the header `hookline-key`.") })
      .register(contract, { id: "PersonLoginAnswer" }),
  },
  async handle({ parts: { people, logins }, server, incoming, body: { response } }) {
    const { origin } = people.place(originOf(incoming));
    const person = await people.recognise(response, origin);
    if (person === undefined) throw server.isWrongTooOften() ? tooOften() : unknown();
    for (const before of readSecrets(incoming.headers.cookie)) logins.end(before);
    const { secret, key, ms } = logins.begin(person.name, origin);
    return {
      ...json({ person: person.name, key } satisfies PersonLoginAnswer),
      headers: { "Set-Cookie": cookieFor(secret, ms, origin) },
    };
  },
});

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

function unknown(): Refused {
  return new Refused(401, "HL_UNAUTHORIZED", "No person of this fleet has this passkey, or the attempt took longer than two minutes.", {
    fix: "Ask the fleet's admin to enrol you: hookline fleet people enrol <name>",
  });
}

function tooOften(): Refused {
  return new Refused(429, "HL_TOO_MANY", "Too many wrong passkeys.", { headers: { "Retry-After": "1" } });
}
