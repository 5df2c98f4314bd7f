import { z } from "zod";
import { cookieFor, readSecrets } from "../auth/authenticate.js";
import { originOf } from "../auth/host-guard.js";
import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import type { PasskeyPlace } from "../protect/passkeys.js";
import type { Passkey } from "../protect/settings.js";
import type { PasskeyLoginAnswer, SignInOptionsAnswer, SignInWaysAnswer } from "../protocol.js";
import { type Call, route } from "./route.js";
import { assertion, contract, noFields } from "./schemas.js";

/** These routes need no login. Each gives only what the holder of a passkey needs. */
const open = { scope: "public", access: "read" } as const;
const MAX_BYTES = 256 * 1024;

export const signInWays = route({
  ...open,
  method: "GET",
  path: "/api/sign-in",
  summary: "Tells whether people sign in here with a passkey",
  answer: {
    description: "How people sign in.",
    body: z
      .object({
        passkeys: z.boolean().describe("False where no passkey works: no phone was enrolled at this address, and this is not a fleet hub."),
        fleet: z.boolean().describe("People of a fleet sign in here."),
      })
      .register(contract, { id: "SignInWaysAnswer" }),
  },
  handle({ parts, incoming }) {
    const fleet = parts.people.people !== undefined && parts.people.hasPlace(originOf(incoming));
    return json({ passkeys: fleet || phonesAt({ parts, incoming }).length > 0, fleet } satisfies SignInWaysAnswer);
  },
});

export const signInOptions = route({
  ...open,
  method: "POST",
  path: "/api/sign-in/options",
  summary: "Gives what a browser needs to sign in with a passkey",
  body: noFields,
  answer: {
    description: "For `navigator.credentials.get`.",
    body: z.object({ challenge: z.string(), rpId: z.string() }).register(contract, { id: "SignInOptionsAnswer" }),
  },
  handle(call) {
    const { origin, rpId } = placeOf(call);
    return json({ challenge: call.parts.signIn.challenge(origin), rpId } satisfies SignInOptionsAnswer);
  },
});

export const signIn = route({
  ...open,
  method: "POST",
  path: "/api/sign-in",
  summary: "Signs in with a passkey: a phone for a week, a person of the fleet for twelve hours",
  maxBytes: MAX_BYTES,
  body: z.strictObject({ response: assertion }).register(contract, { id: "PasskeyLoginRequest" }),
  answer: {
    description: "The dashboard is signed in.",
    body: z
      .object({
        person: z.string().exactOptional().describe("The person of the fleet. Missing for a phone."),
        key: z.string().describe("The dashboard sends it in the header `hookline-key`."),
      })
      .register(contract, { id: "PasskeyLoginAnswer" }),
  },
  async handle(call) {
    const { parts, server, incoming, body } = call;
    const { origin } = placeOf(call);
    const { response } = body;
    const phone = await parts.signIn.recognise(response, origin, phonesAt(call));
    const found = phone === undefined ? parts.people.withPasskey(response.id, origin) : undefined;
    const isPerson = found !== undefined && (await parts.signIn.recognise(response, origin, found.passkeys)) !== undefined;
    if (phone === undefined && !isPerson) throw server.isWrongTooOften() ? tooOften() : unknown();
    if (phone !== undefined) parts.phone.passkeys.used(phone);
    const person = isPerson ? found.person.name : undefined;
    for (const before of readSecrets(incoming.headers.cookie)) parts.logins.end(before);
    const { secret, key, ms } = parts.logins.begin(person === undefined ? "phone" : { person }, origin);
    return {
      ...json({ ...(person !== undefined && { person }), key } satisfies PasskeyLoginAnswer),
      headers: { "Set-Cookie": cookieFor(secret, ms, origin) },
    };
  },
});

function phonesAt({ parts, incoming }: Pick<Call, "parts" | "incoming">): readonly Passkey[] {
  return originOf(incoming) === parts.publicOrigin ? parts.phone.passkeys.list() : [];
}

function placeOf(call: Pick<Call, "parts" | "incoming">): PasskeyPlace {
  const origin = originOf(call.incoming);
  return phonesAt(call).length > 0 ? { origin, rpId: new URL(origin).hostname } : call.parts.people.place(origin);
}

function unknown(): Refused {
  return new Refused(401, "HL_UNAUTHORIZED", "This passkey is not known here, or the attempt took longer than two minutes.", {
    fix: "Enrol it: hookline open --phone. In a fleet, ask the admin: hookline fleet people enrol <name>",
  });
}

function tooOften(): Refused {
  return new Refused(429, "HL_TOO_MANY", "Too many wrong passkeys.", { headers: { "Retry-After": "1" } });
}
