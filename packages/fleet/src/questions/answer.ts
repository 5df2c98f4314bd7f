import { createHash } from "node:crypto";
import { z } from "zod";
import type { Role } from "../credentials/permissions.js";
import type { Roster } from "../credentials/roster.js";
import { isSigned, signText } from "../credentials/signing.js";
import { isName } from "../nats/subjects.js";

const PURPOSE = "hookline-fleet-answer-v1";
const MAX_REASON = 4000;
/** A signature is for this question on this host and for what would run there, so it proves nothing about another call. */
const statementSchema = z.strictObject({
  format: z.literal(1),
  fleet: z.string().max(64),
  host: z.string().refine(isName),
  /** The id of the question. */
  question: z.string().max(300),
  /** The hash of what would run. */
  hash: z.string().max(128),
  /** The digest of the question as the person saw it, so that a server that shows something else gains nothing. */
  shown: z.string().max(128),
  verdict: z.enum(["allow", "deny"]),
  /** The person who answers. */
  by: z.string().refine(isName),
  /** Milliseconds since 1970. The answer does not count later. */
  until: z.number().int().positive(),
  reason: z.string().max(MAX_REASON).exactOptional(),
  /** The hash of the call, if every host allows it from now on. */
  always: z.string().max(128).exactOptional(),
});
export type AnswerStatement = Readonly<z.output<typeof statementSchema>>;

const proofSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("key"), signature: z.string().max(200) }),
  /** A passkey signed the hash of the statement. `response` is the browser's. */
  z.strictObject({ kind: z.literal("passkey"), response: z.record(z.string(), z.unknown()) }),
  /** A fleet hub signs for a person that a proxy named. */
  z.strictObject({ kind: z.literal("hub"), hub: z.string().refine(isName), signature: z.string().max(200) }),
]);
type Proof = Readonly<z.output<typeof proofSchema>>;

const answerSchema = z.strictObject({ statement: z.string().max(16_384), proof: proofSchema });
/** An answer as it travels. The statement is kept as it was signed. */
export type SignedAnswer = Readonly<z.output<typeof answerSchema>>;

export function signAnswer(statement: AnswerStatement, signingKey: string): SignedAnswer {
  const text = JSON.stringify(statementSchema.parse(statement));
  return { statement: text, proof: { kind: "key", signature: signText(signingKey, PURPOSE, text) } };
}

/** The answer of a person whom a trusted proxy named, signed by the fleet hub. */
export function vouchAnswer(statement: AnswerStatement, hub: { readonly name: string; readonly signingKey: string }): SignedAnswer {
  const text = JSON.stringify(statementSchema.parse(statement));
  return { statement: text, proof: { kind: "hub", hub: hub.name, signature: signText(hub.signingKey, PURPOSE, text) } };
}

/** What a passkey signs for this statement: base64url. */
export function answerChallenge(statement: string): string {
  return createHash("sha256").update(`${PURPOSE}\0${statement}`).digest("base64url");
}

export function encodeAnswer(answer: SignedAnswer): Uint8Array {
  return Buffer.from(JSON.stringify(answer));
}

/** `undefined` for bytes that are not an answer. Proves nothing: `checkAnswer` does. */
export function decodeAnswer(data: Uint8Array): SignedAnswer | undefined {
  try {
    return answerSchema.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data)));
  } catch {
    return undefined;
  }
}

/** Whether the passkey with this id, key and RP id signed the challenge. */
export type PasskeyCheck = (
  response: { readonly [field: string]: unknown },
  passkey: { readonly id: string; readonly publicKey: string; readonly rpId: string },
  challenge: string,
) => Promise<boolean>;

export interface AnswerTrust {
  readonly roster: Roster;
  readonly passkey: PasskeyCheck;
  readonly now: number;
}

export type CheckedAnswer =
  | { readonly statement: AnswerStatement; readonly factor: Proof["kind"] }
  /** Why it does not count: the end of a sentence. */
  | { readonly refused: string };

/** The roles that may answer. People who push policies do not approve calls unless they are admins. */
export const MAY_ANSWER: readonly Role[] = ["approve", "admin"];

/** Whether the roster has this person with a role that may answer. */
export function mayAnswer(roster: Roster | undefined, name: string): boolean {
  return roster?.people.some((person) => person.name === name && MAY_ANSWER.includes(person.role)) === true;
}

/** Checks signature, person, role and time. What it is an answer to, the caller compares. Never throws. */
export async function checkAnswer({ statement: text, proof }: SignedAnswer, { roster, passkey, now }: AnswerTrust): Promise<CheckedAnswer> {
  const statement = readStatement(text);
  if (statement === undefined) return { refused: "it cannot be read" };
  if (statement.fleet !== roster.fleet) return { refused: "it is for another fleet" };
  const person = roster.people.find(({ name }) => name === statement.by);
  if (person === undefined) return { refused: `the roster has no person "${statement.by}"` };
  if (!MAY_ANSWER.includes(person.role)) return { refused: `${person.name} has the role ${person.role}, which may not answer` };
  if (statement.until <= now) return { refused: "its time is over" };
  const isProved = await proves(proof, text, { roster, person, passkey });
  return isProved === true ? { statement, factor: proof.kind } : { refused: isProved };
}

/** `undefined` for a text that is not a statement. */
export function readStatement(text: string): AnswerStatement | undefined {
  try {
    return statementSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

type Person = Roster["people"][number];

/** True, or why not. */
async function proves(
  proof: Proof,
  text: string,
  { roster, person, passkey }: Pick<AnswerTrust, "roster" | "passkey"> & { readonly person: Person },
): Promise<true | string> {
  if (proof.kind === "key") return isSigned(person.key, PURPOSE, text, proof.signature) || `${person.name}'s key did not sign it`;
  if (proof.kind === "hub") {
    const hub = roster.hubs.find(({ name }) => name === proof.hub);
    if (hub?.vouches !== true) return `the roster lets no hub "${proof.hub}" answer for people`;
    return isSigned(hub.key, PURPOSE, text, proof.signature) || `the hub ${hub.name} did not sign it`;
  }
  const used = person.passkeys.find(({ id }) => id === proof.response.id);
  if (used === undefined) return `the roster has no such passkey of ${person.name}`;
  const isGood = await passkey(proof.response, used, answerChallenge(text)).catch(() => false);
  return isGood || `${person.name}'s passkey did not sign it`;
}
