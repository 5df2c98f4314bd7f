import { createHash, createPublicKey, verify } from "node:crypto";
import { z } from "zod";
import type { AlarmReport } from "../alarms/alarms.js";
import { createLoginLimit } from "../auth/authenticate.js";
import type { OperatorSource } from "../auth/operator.js";
import { Refused } from "../http/refused.js";
import type { Phones } from "../phone/phones.js";
import { type Confirmation, type ConfirmNeeded, confirmText, type ProcessRow } from "../protocol.js";
import { CHALLENGE_MS, type Challenges } from "./challenges.js";
import type { KeptSettings } from "./kept-settings.js";
import { verifyPasskey } from "./passkeys.js";
import type { DerivedKey, Factor, Passkey } from "./settings.js";
import { createTotpLimit, findTotpStep } from "./totp.js";

/** A request that operates, as far as its confirmation is concerned. */
export interface ConfirmRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** The bytes of the body as they arrived. */
  readonly body: Uint8Array;
  /** One sentence for the person: what the request does. */
  readonly allows: string;
  /** The confirmation's header. */
  readonly header: string | undefined;
  /** The hub's origin as the client calls it. */
  readonly origin: string;
  /** `recovery`: only the recovery code confirms it. */
  readonly by?: "recovery" | undefined;
  /** The sender, for the alarm. */
  readonly process?: ProcessRow | undefined;
  /** Whose wrong codes are counted together. */
  readonly source?: OperatorSource | undefined;
}

/** Attempts a second that are looked at; each raises an alarm. */
const MAX_ATTEMPTS = 10;

interface ConfirmationsOptions {
  readonly kept: KeptSettings;
  /** At the public origin only these passkeys confirm, and they must, whether protect is on or not. */
  readonly phones: () => Pick<Phones, "origin" | "list" | "used"> | undefined;
  readonly challenges: Challenges;
  readonly raise: (alarm: AlarmReport) => void;
  readonly clock: () => number;
}

/** Asks for a confirmation of each request that operates, and checks it. */
export function createConfirmations({ kept, phones, challenges, raise, clock }: ConfirmationsOptions): {
  /** The factor that confirmed the request; `undefined` if none is needed: while protect is off, on this machine. Throws `HL_CONFIRM`, `HL_NOT_CONFIRMED` or `HL_PROTECT_LOCKED`. */
  confirm(request: ConfirmRequest): Promise<Factor | undefined>;
} {
  const attempts = createLoginLimit(MAX_ATTEMPTS);
  const codes = createTotpLimit(clock);

  function phonesAt(origin: string): ReturnType<typeof phones> {
    const found = phones();
    return found?.origin === origin ? found : undefined;
  }

  function neededFor({ by, origin }: Pick<ConfirmRequest, "by" | "origin">): ConfirmNeeded["factors"] {
    const atPublic = phonesAt(origin);
    if (atPublic !== undefined) return passkeysIn(atPublic.list());
    const { settings, locked } = kept;
    const recovery = locked === undefined ? settings?.recovery : locked.recovery;
    if (by === "recovery") return recovery === undefined ? {} : { recovery };
    const { passphrase, totp, passkeys = [] } = settings ?? {};
    return {
      ...(passphrase !== undefined && { passphrase }),
      ...(totp !== undefined && { totp: true as const }),
      ...passkeysIn(passkeys),
    };
  }

  async function phoneOf(given: Confirmation, hash: Buffer, known: Pick<Phones, "origin" | "list" | "used">): Promise<Factor | undefined> {
    if (given.factor !== "passkey") return undefined;
    const used = await verifyPasskey(given.response, known.list(), { origin: known.origin ?? "", challenge: hash.toString("base64url") });
    if (used === undefined) return undefined;
    known.used(used);
    return "passkey";
  }

  async function factorOf(given: Confirmation, hash: Buffer, { by, origin, source }: ConfirmRequest): Promise<Factor | undefined> {
    const atPublic = phonesAt(origin);
    if (atPublic !== undefined) return phoneOf(given, hash, atPublic);
    if (given.factor === "passkey") {
      if (by === "recovery" || kept.settings === undefined) return undefined;
      const used = await verifyPasskey(given.response, kept.settings.passkeys, { origin, challenge: hash.toString("base64url") });
      const { settings } = kept;
      if (used === undefined || settings === undefined) return undefined;
      // The counter only helps to notice a copied passkey, so the store does not need it.
      kept.update({ ...settings, passkeys: settings.passkeys.map((key) => (key.id === used.id ? used : key)) });
      return "passkey";
    }
    if (given.factor === "totp") return by === "recovery" ? undefined : totpOf(given.code, source);
    const key = neededFor({ by, origin })[given.factor];
    return key !== undefined && isSigned(key, hash, given.signature) ? given.factor : undefined;
  }

  function totpOf(code: string, source: OperatorSource | undefined): Factor | undefined {
    const { settings } = kept;
    if (settings?.totp === undefined) return undefined;
    const { totp } = settings;
    const step = findTotpStep(totp.secret, code, { nowMs: clock(), after: totp.usedStep });
    if (step === undefined) return void codes.wrong(source);
    codes.right(source);
    kept.update({ ...settings, totp: { ...totp, usedStep: step } });
    return "totp";
  }

  function refuse({ method, path: target, process }: ConfirmRequest, why: string): Refused {
    if (attempts.failed()) return new Refused(429, "HL_TOO_MANY", "Too many refused confirmations.", { headers: { "Retry-After": "1" } });
    raise({
      kind: "refused",
      text: `A confirmation was refused: ${why}.`,
      process,
      payload: { action: `${method} ${target.split("?", 1)[0]}`, reason: why },
    });
    return new Refused(403, "HL_NOT_CONFIRMED", `The confirmation was refused: ${why}.`, {
      fix: "Repeat the action and confirm it again.",
    });
  }

  return {
    async confirm(request) {
      const { locked } = kept;
      if (kept.settings === undefined && locked === undefined && phonesAt(request.origin) === undefined) return undefined;
      const { method, path: target, allows, header, by } = request;
      if (locked !== undefined && (by !== "recovery" || locked.recovery === undefined))
        throw new Refused(403, "HL_PROTECT_LOCKED", locked.why, { fix: locked.fix });
      const body = digestOf(request.body);
      if (header === undefined) {
        const bound = confirmText({ challenge: "", method, path: target, body, allows: digestOf(allows) });
        const confirm = { challenge: challenges.issue(bound), allows, forMs: CHALLENGE_MS, factors: neededFor(request) };
        throw new Refused(401, "HL_CONFIRM", `This needs your confirmation: ${allows}`, {
          fix: "Run the command in a terminal, or do it in the dashboard (hookline open --approve).",
          confirm,
        });
      }
      const given = readConfirmation(header);
      if (given === undefined) throw refuse(request, "it is malformed");
      const { challenge, allows: seen } = given;
      const what = { method, path: target, body, allows: seen };
      const asked = challenges.check(challenge, confirmText({ ...what, challenge: "" }));
      if (asked !== "good") throw refuse(request, WHY[asked]);
      const waitMs = given.factor === "totp" ? codes.waitMs(request.source) : 0;
      if (waitMs > 0)
        throw new Refused(429, "HL_TOO_MANY", "Too many wrong codes came from here. No code from here is accepted for some minutes.", {
          headers: { "Retry-After": String(Math.ceil(waitMs / 1_000)) },
          fix: "Wait five minutes, confirm with another factor, or in a terminal where a code was right before.",
        });
      const hash = createHash("sha256")
        .update(confirmText({ ...what, challenge }))
        .digest();
      const factor = await factorOf(given, hash, request);
      if (factor === undefined)
        throw refuse(
          request,
          given.factor === "totp" ? "its code is wrong, too old or used" : "it is not signed by a factor of the operator",
        );
      // Checked again, because another request may have used it while this one was verified.
      if (challenges.check(challenge, confirmText({ ...what, challenge: "" })) !== "good") throw refuse(request, WHY.used);
      challenges.use(challenge);
      return factor;
    },
  };
}

function passkeysIn(passkeys: readonly Passkey[]): Pick<ConfirmNeeded["factors"], "passkey"> {
  const [first] = passkeys;
  if (first === undefined) return {};
  return { passkey: { rpId: first.rpId, credentials: passkeys.map(({ id, transports }) => ({ id, transports })) } };
}

const WHY = {
  expired: "it is older than two minutes",
  used: "it was used before",
  foreign: "it was made for something else",
} as const;

const confirmation = z.union([
  z.strictObject({
    challenge: z.string(),
    allows: z.string().regex(/^[0-9a-f]{64}$/),
    factor: z.enum(["passphrase", "recovery"]),
    signature: z.string().max(128),
  }),
  z.strictObject({
    challenge: z.string(),
    allows: z.string().regex(/^[0-9a-f]{64}$/),
    factor: z.literal("totp"),
    code: z.string().regex(/^\d{6}$/),
  }),
  z.strictObject({
    challenge: z.string(),
    allows: z.string().regex(/^[0-9a-f]{64}$/),
    factor: z.literal("passkey"),
    response: z.strictObject({
      id: z.string(),
      rawId: z.string(),
      type: z.literal("public-key"),
      response: z.strictObject({ clientDataJSON: z.string(), authenticatorData: z.string(), signature: z.string() }),
      clientExtensionResults: z.object({}),
    }),
  }),
]);

function readConfirmation(header: string): Confirmation | undefined {
  try {
    return confirmation.parse(JSON.parse(Buffer.from(header, "base64url").toString("utf8")));
  } catch {
    return undefined;
  }
}

/** The header of an Ed25519 public key in DER, in front of its 32 bytes. */
const ED25519 = Buffer.from("302a300506032b6570032100", "hex");

function isSigned({ publicKey }: DerivedKey, hash: Buffer, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.concat([ED25519, Buffer.from(publicKey, "base64url")]), format: "der", type: "spki" });
    return verify(null, hash, key, Buffer.from(signature, "base64url"));
  } catch {
    return false;
  }
}

function digestOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
