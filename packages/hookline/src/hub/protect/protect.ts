import { randomBytes } from "node:crypto";
import { badRequest, Refused } from "../http/refused.js";
import { MODE_MEANS, type Mode } from "../mode.js";
import type { Phones } from "../phone/phones.js";
import type { ProtectAnswer } from "../protocol.js";
import { createChallenges } from "./challenges.js";
import { type ConfirmRequest, createConfirmations } from "./confirmations.js";
import { type KeptSettingsOptions, openKeptSettings } from "./kept-settings.js";
import { type RegistrationResponse, readNewPasskey } from "./passkeys.js";
import type { DerivedKey, Factor, ProtectSettings } from "./settings.js";
import { findTotpStep } from "./totp.js";

interface NewPasskey {
  readonly name: string;
  readonly response: RegistrationResponse;
}

interface NewFactors {
  readonly passphrase?: DerivedKey | undefined;
  readonly passkey?: NewPasskey | undefined;
  /** The secret of one-time passwords, and a code that shows that the app has it. */
  readonly totp?: { readonly secret: string; readonly code: string } | undefined;
}

/** Whether operating needs a factor that no process of the operator's account has, and which. */
export interface Protect {
  readonly isOn: boolean;
  /** The name at which passkeys were made. They work nowhere else. */
  readonly passkeyName: string | undefined;
  facts(): ProtectAnswer;
  /** The factor that confirmed the request; `undefined` while protect is off. Throws `HL_CONFIRM`, `HL_NOT_CONFIRMED` or `HL_PROTECT_LOCKED`. */
  confirm(request: ConfirmRequest): Promise<Factor | undefined>;
  /** For `navigator.credentials.create` at this origin. */
  passkeyOptions(origin: string): PasskeyOptions;
  turnOn(factors: NewFactors, recovery: DerivedKey, origin: string): Promise<void>;
  addFactor(factors: NewFactors, origin: string): Promise<void>;
  /** A passkey by its id, or another factor. Throws for the last one. */
  removeFactor(which: { readonly passkey: string } | "passphrase" | "totp"): Promise<void>;
  renewRecovery(recovery: DerivedKey): Promise<void>;
  /** Replaces every factor. */
  recover(passphrase: DerivedKey, recovery: DerivedKey): Promise<void>;
  turnOff(): Promise<void>;
  close(): void;
}

interface PasskeyOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly user: string;
  readonly exclude: readonly string[];
}

interface ProtectOptions extends KeptSettingsOptions {
  /** The dashboard's own name; `undefined` while links cannot use it. */
  readonly dashboardName: () => string | undefined;
  /** The passkeys of the public origin, once it is known. */
  readonly phones?: () => Pick<Phones, "origin" | "list" | "used"> | undefined;
  /** The hub's mode, which protect alone does not decide. */
  readonly mode: (protect: { readonly isOn: boolean }) => Mode;
  readonly now?: () => number;
  /** Milliseconds since 1970, for one-time passwords. */
  readonly clock?: () => number;
}

const MAX_PASSKEYS = 16;
const ENROL = "hookline enrol 1";

export async function openProtect({
  dashboardName,
  phones = () => undefined,
  mode,
  now,
  clock = Date.now,
  ...options
}: ProtectOptions): Promise<Protect> {
  const { raise } = options;
  const kept = await openKeptSettings(options);
  const challenges = createChallenges(now);
  const { confirm } = createConfirmations({ kept, phones, challenges, raise, clock });

  function isOn(): boolean {
    return kept.settings !== undefined || kept.locked !== undefined;
  }

  /** With a factor that was stolen, another person would do this first. */
  function loosened(text: string): void {
    raise({ kind: "loosened", text, fix: { run: "hookline protect" } });
  }

  function current(): ProtectSettings {
    if (kept.settings === undefined) throw conflict("hookline protect is off.", "hookline protect on");
    return kept.settings;
  }

  function passkeyPlace(origin: string): { readonly origin: string; readonly rpId: string } {
    const rpId = dashboardName();
    if (rpId !== undefined && new URL(origin).hostname === rpId) return { origin, rpId };
    throw badRequest("Passkeys work only at the dashboard's own address, <name>.localhost.", { run: "hookline open --approve" });
  }

  /** Elsewhere a program of the same user could read the secret. */
  function withTotp({ secret, code }: NonNullable<NewFactors["totp"]>): NonNullable<ProtectSettings["totp"]> {
    if (mode({ isOn: isOn() }) !== "managed")
      throw badRequest(
        "One-time passwords are a factor of managed mode only: here, every program that runs as you could read the secret.",
        {
          run: "hookline protect passphrase",
        },
      );
    const step = findTotpStep(secret, code, { nowMs: clock(), after: 0 });
    if (step === undefined)
      throw badRequest("The code does not belong to this secret, or the clocks differ.", "Look at the clock of both devices.");
    return { secret, addedAt: new Date().toISOString(), usedStep: step };
  }

  async function withFactors(given: ProtectSettings, { passphrase, passkey, totp }: NewFactors, origin: string): Promise<ProtectSettings> {
    const before = totp === undefined ? given : { ...given, totp: withTotp(totp) };
    if (passkey === undefined) return { ...before, ...(passphrase && { passphrase }) };
    if (before.passkeys.length >= MAX_PASSKEYS) throw conflict(`There are ${MAX_PASSKEYS} passkeys already.`, "hookline protect status");
    const place = passkeyPlace(origin);
    let isFresh = false;
    const added = await readNewPasskey(passkey.response, {
      ...place,
      name: passkey.name,
      isExpected(challenge) {
        isFresh = challenges.check(challenge, `${ENROL}\n${place.rpId}`) === "good";
        if (isFresh) challenges.use(challenge);
        return isFresh;
      },
    });
    const others = before.passkeys.filter(({ id }) => id !== added.id);
    return { ...before, ...(passphrase && { passphrase }), passkeys: [...others, added] };
  }

  return {
    get isOn() {
      return isOn();
    },
    get passkeyName() {
      return kept.settings?.passkeys[0]?.rpId;
    },
    facts() {
      const name = dashboardName();
      const { settings, locked } = kept;
      return {
        isOn: isOn(),
        means: MODE_MEANS[mode({ isOn: isOn() })],
        ...(locked !== undefined && { locked: locked.why }),
        ...(settings !== undefined && { since: settings.since }),
        passphrase: settings?.passphrase !== undefined,
        totp: settings?.totp !== undefined,
        passkeys: (settings?.passkeys ?? []).map(({ id, name, addedAt }) => ({ id, name, addedAt })),
        ...(name !== undefined && { passkeysAt: name }),
      };
    },
    confirm,
    passkeyOptions(origin) {
      const { rpId } = passkeyPlace(origin);
      return {
        rpId,
        challenge: challenges.issue(`${ENROL}\n${rpId}`),
        user: randomBytes(16).toString("base64url"),
        exclude: (kept.settings?.passkeys ?? []).map(({ id }) => id),
      };
    },
    turnOn: (factors, recovery, origin) =>
      kept.change(`hookline protect was turned on with a ${nameOf(factors)}.`, () => {
        if (isOn()) throw conflict("hookline protect is on already.", "hookline protect status");
        if (factors.passphrase === undefined && factors.passkey === undefined && factors.totp === undefined)
          throw badRequest("Turning protect on needs a passphrase, a passkey or a one-time password.");
        return withFactors({ version: 1, since: new Date().toISOString(), passkeys: [], recovery }, factors, origin);
      }),
    addFactor: (factors, origin) =>
      kept.change(`A new ${nameOf(factors)} confirms what operates from now on.`, () => withFactors(current(), factors, origin)),
    removeFactor: (which) =>
      kept.change(`A ${which === "totp" ? TOTP : which === "passphrase" ? which : "passkey"} no longer confirms anything.`, () => {
        const { passphrase, totp, ...before } = current();
        const passkeys = before.passkeys.filter(({ id }) => typeof which === "string" || id !== which.passkey);
        const left = { ...(which !== "passphrase" && passphrase && { passphrase }), ...(which !== "totp" && totp && { totp }) };
        if (Object.keys(left).length === 0 && passkeys.length === 0)
          throw conflict("This is the last factor. Add another one first, or turn protect off.", "hookline protect off");
        return { ...before, passkeys, ...left };
      }),
    renewRecovery: (recovery) => kept.change("The recovery code was replaced.", () => ({ ...current(), recovery })),
    async recover(passphrase, recovery) {
      await kept.change("Every factor was replaced with the recovery code.", () => {
        // While protect is off, nothing was confirmed.
        if (kept.locked === undefined) current();
        return { version: 1, since: new Date().toISOString(), passkeys: [], passphrase, recovery };
      });
      loosened("Every factor of hookline protect was replaced with the recovery code.");
    },
    async turnOff() {
      await kept.clear(() => void current());
      loosened("hookline protect was turned off.");
    },
    close: () => kept.close(),
  };
}

const TOTP = "one-time password";

function nameOf({ passkey, totp }: NewFactors): string {
  return passkey !== undefined ? "passkey" : totp !== undefined ? TOTP : "passphrase";
}

function conflict(message: string, run: string): Refused {
  return new Refused(409, "HL_BAD_REQUEST", message, { fix: { run } });
}
