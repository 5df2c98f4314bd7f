import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { errorText, HookError } from "@hookline/core/internal/machine";
import { z } from "zod";
import { isName } from "../nats/subjects.js";
import { ROLES } from "./permissions.js";
import { isSigned, signText } from "./signing.js";

const PURPOSE = "hookline-fleet-roster-v1";
const MAX_BYTES = 64 * 1024 * 1024;
/** Larger rosters are compressed: the server takes messages of 1 MB, and 15,000 hosts are about as much. */
const COMPRESS_FROM = 256 * 1024;

const name = z.string().refine(isName, "is not a name");
const publicKey = z.string().max(100);

/** A passkey that a person has enrolled at a fleet's dashboard. */
const passkey = z.strictObject({
  id: z.string().max(2000),
  publicKey: z.string().max(4000).describe("COSE, base64url."),
  rpId: z.string().max(255),
  label: z.string().max(100).exactOptional(),
});

const rosterSchema = z.strictObject({
  format: z.literal(1),
  fleet: z.string().min(8).max(64),
  serial: z.number().int().positive(),
  at: z.string().max(40),
  people: z.array(z.strictObject({ name, role: z.enum(ROLES), key: publicKey, passkeys: z.array(passkey).max(50) })),
  hubs: z.array(z.strictObject({ name, key: publicKey, vouches: z.boolean() })),
  hosts: z.array(z.strictObject({ name, labels: z.record(z.string().max(63), z.string().max(63)) })),
});

/** The people, hubs and hosts of a fleet. */
export type Roster = Readonly<z.output<typeof rosterSchema>>;

/** The text is kept as it was signed. */
const signedSchema = z.strictObject({ roster: z.string().max(MAX_BYTES), signature: z.string().max(200) });
export type SignedRoster = Readonly<z.output<typeof signedSchema>>;

export function signRoster(roster: Roster, rootKey: string): SignedRoster {
  const text = JSON.stringify(rosterSchema.parse(roster));
  return { roster: text, signature: signText(rootKey, PURPOSE, text) };
}

/** What a host or hub has accepted last. */
export interface RosterPin {
  readonly serial: number;
  readonly digest: string;
}

export interface RosterTrust {
  /** The public root key that came with the invitation. */
  readonly rootKey: string;
  readonly fleet: string;
  /** An older roster is refused, and so is another one with the same serial. */
  readonly pin?: RosterPin | undefined;
  /** The serial that came with the invitation: an older roster is refused. */
  readonly minSerial?: number | undefined;
}

export interface VerifiedRoster {
  readonly roster: Roster;
  readonly pin: RosterPin;
}

/** Checks signature, fleet and serial. Throws `HL_FLEET_ROSTER` for a roster that must not be used. */
export function verifyRoster(signed: SignedRoster, { rootKey, fleet, pin, minSerial = 0 }: RosterTrust): VerifiedRoster {
  if (!isSigned(rootKey, PURPOSE, signed.roster, signed.signature)) throw refusal("its signature is not by the fleet's root key");
  const roster = parse(signed.roster);
  if (roster.fleet !== fleet) throw refusal("it is the roster of another fleet");
  const digest = createHash("sha256").update(signed.roster).digest("hex");
  const floor = Math.max(minSerial, pin?.serial ?? 0);
  if (roster.serial < floor) throw refusal(`its serial ${roster.serial} is older than ${floor}`);
  if (pin !== undefined && roster.serial === pin.serial && digest !== pin.digest)
    throw refusal(`it differs from the roster with the same serial ${pin.serial}`);
  return { roster, pin: { serial: roster.serial, digest } };
}

function parse(text: string): Roster {
  try {
    return rosterSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw refusal(`it cannot be read (${errorText(cause).slice(0, 200)})`);
  }
}

function refusal(reason: string): HookError {
  return new HookError("HL_FLEET_ROSTER", `The fleet's roster is refused: ${reason}.`, { fix: { run: "hookline fleet doctor" } });
}

/** A signed roster as it is kept in the bucket. */
export function encodeRoster(signed: SignedRoster): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(signed));
  return bytes.length < COMPRESS_FROM ? bytes : gzipSync(bytes);
}

/** Throws `HL_FLEET_ROSTER`. Proves nothing: `verifyRoster` does. */
export function decodeRoster(bytes: Uint8Array): SignedRoster {
  try {
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const text = isCompressed ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : Buffer.from(bytes);
    return signedSchema.parse(JSON.parse(text.toString("utf8")));
  } catch (cause) {
    throw refusal(`it cannot be read (${errorText(cause).slice(0, 200)})`);
  }
}
