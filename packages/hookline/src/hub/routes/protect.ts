import { z } from "zod";
import { originOf } from "../auth/host-guard.js";
import { readProcess } from "../auth/processes.js";
import { type Answer, json } from "../http/answer.js";
import type { HubParts } from "../parts.js";
import { TOTP_SECRET } from "../protect/totp.js";
import type { ConfirmAnswer, PasskeyOptionsAnswer, ProtectAnswer } from "../protocol.js";
import { route } from "./route.js";
import { attestation, contract, derivedKey, noFields, passkeyOptionsBody, passkeyRow } from "./schemas.js";

const protectAnswer = z
  .object({
    isOn: z.boolean(),
    means: z.string().describe("What the mode of the hub means, in one sentence."),
    locked: z.string().exactOptional().describe("Why the hub does not operate until it gets the recovery code."),
    since: z.string().exactOptional().describe("ISO 8601."),
    passphrase: z.boolean().describe("A passphrase confirms requests."),
    totp: z.boolean().describe("A code of an authenticator app confirms requests. Only in managed mode."),
    passkeys: z.array(passkeyRow).describe("Passkeys confirm requests in the dashboard."),
    passkeysAt: z.string().exactOptional().describe("The dashboard's own name, the only place where passkeys work."),
  })
  .register(contract, { id: "ProtectAnswer" });
const answer = { description: "What is in force from now on.", body: protectAnswer };

const passkey = z
  .strictObject({
    name: z.string().trim().min(1).max(200).default("passkey").describe("A name for people."),
    response: attestation,
  })
  .register(contract, { id: "NewPasskey" });
const totp = z
  .strictObject({
    secret: z.string().regex(TOTP_SECRET, { error: "must be 20 bytes in base32." }),
    code: z
      .string()
      .regex(/^\d{6}$/, { error: "must be six digits." })
      .describe("A current code, which shows that the app has the secret."),
  })
  .register(contract, { id: "NewTotp" });
const factors = { passphrase: derivedKey.exactOptional(), passkey: passkey.exactOptional(), totp: totp.exactOptional() };
const MAX_BYTES = 256 * 1024;

/** Each change of the factors is a request of its own, and answers with what is in force then. */
const changing = { method: "POST", scope: "approve", access: "operate", answer } as const;

async function changed({ protect }: Pick<HubParts, "protect">, change: (protect: HubParts["protect"]) => Promise<void>): Promise<Answer> {
  await change(protect);
  return json(protect.facts() satisfies ProtectAnswer);
}

export const protect = route({
  method: "GET",
  path: "/api/protect",
  scope: "read",
  access: "read",
  summary: "Shows whether operating needs a confirmation, and which factors give it",
  answer: { description: "The state of `hookline protect`.", body: protectAnswer },
  handle: ({ parts }) => json(parts.protect.facts() satisfies ProtectAnswer),
});

export const passkeyOptions = route({
  method: "POST",
  path: "/api/protect/passkey",
  scope: "approve",
  access: "read",
  summary: "Gives what a browser needs to make a passkey; the passkey counts when it is added",
  body: noFields,
  answer: {
    description: "For `navigator.credentials.create`.",
    body: passkeyOptionsBody,
  },
  handle: ({ parts, incoming }) => json(parts.protect.passkeyOptions(originOf(incoming)) satisfies PasskeyOptionsAnswer),
});

export const protectOn = route({
  ...changing,
  path: "/api/protect/on",
  summary: "Turns on the confirmation of everything that operates",
  maxBytes: MAX_BYTES,
  body: z
    .strictObject({ ...factors, recovery: derivedKey.describe("The key of the recovery code.") })
    .register(contract, { id: "ProtectOnRequest" }),
  handle: ({ parts, incoming, body: { recovery, ...given } }) =>
    changed(parts, (protect) => protect.turnOn(given, recovery, originOf(incoming))),
});

export const addFactor = route({
  ...changing,
  path: "/api/protect/factors",
  allows: ({ body }) =>
    [
      ...(body.passphrase === undefined ? [] : ["Set a new passphrase."]),
      ...(body.passkey === undefined ? [] : [`Add the passkey "${body.passkey.name}".`]),
      ...(body.totp === undefined ? [] : ["Let the codes of an authenticator app confirm requests."]),
    ].join(" "),
  summary: "Adds a passkey, or sets the passphrase or the one-time password",
  maxBytes: MAX_BYTES,
  body: z
    .strictObject(factors)
    .refine((given) => Object.values(given).some((one) => one !== undefined), { path: ["passkey"], error: "is missing." })
    .register(contract, { id: "AddFactorRequest" }),
  handle: ({ parts, incoming, body }) => changed(parts, (protect) => protect.addFactor(body, originOf(incoming))),
});

export const removeFactor = route({
  ...changing,
  path: "/api/protect/factors/remove",
  allows: ({ parts, body }) => {
    const name = parts.protect.facts().passkeys.find(({ id }) => id === body.passkey)?.name ?? body.passkey;
    if (body.totp === true) return "Remove the one-time password.";
    return body.passkey === undefined ? "Remove the passphrase." : `Remove the passkey "${name}".`;
  },
  summary: "Removes a passkey, the passphrase or the one-time password, but never the last factor",
  body: z
    .strictObject({
      passkey: z.string().exactOptional().describe("Its id. Without it and without `totp`, the passphrase is removed."),
      totp: z.literal(true).exactOptional().describe("The one-time password is removed."),
    })
    .register(contract, { id: "RemoveFactorRequest" }),
  handle: ({ parts, body: { passkey: id, totp } }) =>
    changed(parts, (protect) => protect.removeFactor(totp === true ? "totp" : id === undefined ? "passphrase" : { passkey: id })),
});

export const renewRecovery = route({
  ...changing,
  path: "/api/protect/recovery",
  allows: () => "Replace the recovery code.",
  summary: "Replaces the recovery code",
  body: z.strictObject({ recovery: derivedKey }).register(contract, { id: "RenewRecoveryRequest" }),
  handle: ({ parts, body: { recovery } }) => changed(parts, (protect) => protect.renewRecovery(recovery)),
});

export const recover = route({
  ...changing,
  path: "/api/protect/recover",
  confirmedBy: "recovery",
  allows: () => "Replace every factor by a new passphrase and a new recovery code.",
  summary: "Replaces every factor; only the recovery code confirms it, and it works once",
  body: z.strictObject({ passphrase: derivedKey, recovery: derivedKey }).register(contract, { id: "RecoverRequest" }),
  handle: ({ parts, body: { passphrase, recovery } }) => changed(parts, (protect) => protect.recover(passphrase, recovery)),
});

export const protectOff = route({
  ...changing,
  path: "/api/protect/off",
  allows: () => "Turn protect off: from then on every program that runs as you can operate the hub.",
  summary: "Turns the confirmation off",
  body: noFields,
  handle: ({ parts }) => changed(parts, (protect) => protect.turnOff()),
});

export const confirmAction = route({
  method: "POST",
  path: "/api/operate/confirm",
  scope: "approve",
  access: "operate",
  allows: ({ body: { action } }) => action,
  summary: "Confirms something that the command line does itself, such as a change of a file",
  body: z
    .strictObject({ action: z.string().trim().min(1).max(1_000).describe("One sentence for the person who confirms it.") })
    .register(contract, { id: "ConfirmRequest" }),
  answer: {
    description: "A person has confirmed it, or no confirmation is needed.",
    body: z
      .object({ factor: z.enum(["passkey", "passphrase", "totp"]).exactOptional().describe("Missing while `hookline protect` is off.") })
      .register(contract, { id: "ConfirmAnswer" }),
  },
  async handle({ parts, factor, operate }) {
    const { process } = await operate();
    parts.tamper.expectChange(process && readProcess(process.pid));
    return json((factor === undefined || factor === "recovery" ? {} : { factor }) satisfies ConfirmAnswer);
  },
});
