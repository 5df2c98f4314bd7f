import { z } from "zod";
import { originOf } from "../auth/host-guard.js";
import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { subscription } from "../phone/web-push.js";
import type { PasskeyOptionsAnswer, PhoneAnswer, PhoneCodeAnswer, PhoneLinkAnswer } from "../protocol.js";
import { type Call, route } from "./route.js";
import { attestation, contract, count, noFields, passkeyOptionsBody, passkeyRow } from "./schemas.js";

const MAX_BYTES = 256 * 1024;
const code = z
  .string()
  .regex(/^\d{6}$/, { error: "must be the six digits that the phone shows." })
  .describe("The six digits that the phone shows.");

const phoneAnswer = z
  .object({
    publicUrl: z.string().exactOptional().describe("Where phones reach the dashboard. Missing without `publicUrl` of `[hub]`."),
    passkeys: z.array(passkeyRow).describe("The passkeys that answer calls there."),
    pushKey: z.string().describe("For `pushManager.subscribe`: the key of the hub, in base64url."),
    browsers: count.describe("How many browsers get a push message when a call waits."),
  })
  .register(contract, { id: "PhoneAnswer" });

function answerOf({ parts }: Pick<Call, "parts">): PhoneAnswer {
  const { passkeys, push } = parts.phone;
  return {
    ...(parts.publicOrigin !== undefined && { publicUrl: parts.publicOrigin }),
    passkeys: passkeys.list().map(({ id, name, addedAt }) => ({ id, name, addedAt })),
    pushKey: push.publicKey,
    browsers: push.count,
  };
}

export const phone = route({
  method: "GET",
  path: "/api/phone",
  scope: "read",
  access: "read",
  summary: "Shows where phones reach the dashboard, and which passkeys answer there",
  answer: { description: "The state of the public address.", body: phoneAnswer },
  handle: (call) => json(answerOf(call) satisfies PhoneAnswer),
});

export const phonePasskeyOptions = route({
  method: "POST",
  path: "/api/phone/passkey/options",
  scope: "read",
  access: "read",
  summary: "Gives what a phone needs to make a passkey, after it has opened a link of `hookline open --phone`",
  body: noFields,
  answer: { description: "For `navigator.credentials.create`.", body: passkeyOptionsBody },
  handle(call) {
    checkPhone(call);
    return json(call.parts.phone.passkeys.options() satisfies PasskeyOptionsAnswer);
  },
});

export const proposePhone = route({
  method: "POST",
  path: "/api/phone/passkey",
  scope: "read",
  access: "read",
  summary: "Offers a new passkey of a phone; it counts when a person has typed its number on the hub's machine",
  maxBytes: MAX_BYTES,
  body: z
    .strictObject({ name: z.string().trim().min(1).max(200).describe("A name for people."), response: attestation })
    .register(contract, { id: "ProposePhoneRequest" }),
  answer: {
    description: "The number that the phone shows.",
    body: z.object({ code, forMs: count.describe("How long the number works.") }).register(contract, { id: "PhoneCodeAnswer" }),
  },
  async handle(call) {
    checkPhone(call);
    const { name, response } = call.body;
    return json((await call.parts.phone.passkeys.propose(name, response)) satisfies PhoneCodeAnswer);
  },
});

export const acceptPhone = route({
  method: "POST",
  path: "/api/phone/accept",
  scope: "approve",
  access: "operate",
  summary: "Lets the passkey of the phone that shows this number answer calls",
  allows: ({ parts, body }) => `Let the passkey "${parts.phone.passkeys.named(body.code)}" answer calls at ${parts.publicOrigin}.`,
  body: z.strictObject({ code }).register(contract, { id: "AcceptPhoneRequest" }),
  answer: { description: "The passkey counts.", body: phoneAnswer },
  async handle(call) {
    await call.parts.phone.passkeys.accept(call.body.code);
    return json(answerOf(call) satisfies PhoneAnswer);
  },
});

export const removePhone = route({
  method: "POST",
  path: "/api/phone/remove",
  scope: "approve",
  access: "operate",
  summary: "Removes a passkey of a phone, and signs out every browser at the public address",
  allows: ({ parts, body: { id } }) =>
    `Remove the passkey "${parts.phone.passkeys.list().find((one) => one.id === id)?.name ?? id}" of a phone.`,
  body: z.strictObject({ id: z.string().describe("The passkey's id.") }).register(contract, { id: "RemovePhoneRequest" }),
  answer: { description: "The passkey answers nothing any more.", body: phoneAnswer },
  async handle(call) {
    const { parts, body } = call;
    if (await parts.phone.passkeys.remove(body.id)) {
      // The phone may be lost, and which login is its own is not known.
      if (parts.publicOrigin !== undefined) parts.logins.endAt(parts.publicOrigin);
      return json(answerOf(call) satisfies PhoneAnswer);
    }
    throw new Refused(404, "HL_NOT_FOUND", "No phone has a passkey with this id.", { fix: { run: "hookline phones list" } });
  },
});

export const openAnswerLink = route({
  method: "POST",
  path: "/api/phone/link",
  scope: "read",
  access: "read",
  summary: "Tells which call a link of a notification is for; the link works once and answers nothing",
  body: z
    .strictObject({ token: z.string().max(500).describe("What the link has behind `#to.`, which browsers do not send.") })
    .register(contract, { id: "PhoneLinkRequest" }),
  answer: {
    description: "The call.",
    body: z.object({ id: z.string().describe("The approval's id.") }).register(contract, { id: "PhoneLinkAnswer" }),
  },
  handle: ({ parts, body }) => json({ id: parts.phone.links.open(body.token) } satisfies PhoneLinkAnswer),
});

export const subscribePush = route({
  method: "POST",
  path: "/api/phone/push",
  scope: "approve",
  access: "read",
  fromPhone: true,
  summary: "Sends push messages to this browser when a call waits",
  body: subscription.register(contract, { id: "SubscribePushRequest" }),
  answer: { description: "The browser gets messages from now on.", body: phoneAnswer },
  handle(call) {
    checkPhone(call);
    call.parts.phone.push.subscribe(call.body);
    return json(answerOf(call) satisfies PhoneAnswer);
  },
});

export const unsubscribePush = route({
  method: "POST",
  path: "/api/phone/push/remove",
  scope: "approve",
  access: "read",
  fromPhone: true,
  summary: "Sends no more push messages to a browser",
  body: z.strictObject({ endpoint: z.string().max(2_048) }).register(contract, { id: "UnsubscribePushRequest" }),
  answer: { description: "The browser gets no more messages.", body: phoneAnswer },
  handle(call) {
    call.parts.phone.push.unsubscribe(call.body.endpoint);
    return json(answerOf(call) satisfies PhoneAnswer);
  },
});

/** Throws 409 unless a browser sent it that has opened a link of `hookline open --phone`, or has signed in with its passkey. */
function checkPhone({ parts, incoming, holder }: Pick<Call, "parts" | "incoming" | "holder">): void {
  if (holder.isPhone === true && originOf(incoming) === parts.publicOrigin) return;
  throw new Refused(409, "HL_BAD_REQUEST", "Only a browser that was opened with a link of hookline open --phone can do this.", {
    fix: { run: "hookline open --phone" },
  });
}
