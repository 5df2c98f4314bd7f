import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readPrivately, replacePrivately, watchSignature } from "@hookline/core/internal/machine";
import { z } from "zod";
import type { AlarmReport } from "../alarms/alarms.js";
import { createLoginLimit } from "../auth/authenticate.js";
import { badRequest, Refused } from "../http/refused.js";
import { MODE_MEANS, modeOf, PROTECT_FILE } from "../mode.js";
import { type Confirmation, type ConfirmNeeded, confirmText, type ProcessRow, type ProtectAnswer } from "../protocol.js";
import type { Store } from "../store/store.js";
import { CHALLENGE_MS, createChallenges } from "./challenges.js";
import { type RegistrationResponse, readNewPasskey, verifyPasskey } from "./passkeys.js";
import { type DerivedKey, type Factor, factorsText, type Passkey, type ProtectSettings, parseSettings, readSettings } from "./settings.js";

/** A request that operates, as far as its confirmation is concerned. */
interface ConfirmRequest {
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
}

interface NewPasskey {
  readonly name: string;
  readonly response: RegistrationResponse;
}

interface NewFactors {
  readonly passphrase?: DerivedKey | undefined;
  readonly passkey?: NewPasskey | undefined;
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
  /** A passkey by its id, or the passphrase. Throws for the last factor. */
  removeFactor(which: { readonly passkey: string } | "passphrase"): Promise<void>;
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

interface ProtectOptions {
  readonly state: string;
  readonly store: Pick<Store, "fact" | "setFact">;
  readonly raise: (alarm: AlarmReport) => void;
  /** Told, for the record, when the factors change. */
  readonly note: (message: string) => void;
  /** The dashboard's own name; `undefined` while links cannot use it. */
  readonly dashboardName: () => string | undefined;
  readonly onProblem: (text: string) => void;
  readonly now?: () => number;
}

const FACT = "protect";
const MAX_PASSKEYS = 16;
/** Attempts a second that are looked at; each raises an alarm. */
const MAX_ATTEMPTS = 10;
const ENROL = "hookline enrol 1";

/**
 * The settings are in memory while the hub lives. The file is for the next start, and the store has a copy: if the two disagree then, one of
 * them was changed from outside, and the hub does not operate before it gets the recovery code.
 */
export async function openProtect({ state, store, raise, note, dashboardName, onProblem, now }: ProtectOptions): Promise<Protect> {
  const path = join(state, PROTECT_FILE);
  const challenges = createChallenges(now);
  const attempts = createLoginLimit(MAX_ATTEMPTS);
  const start = startState(readSettings(state), readRecord(await store.fact(FACT)));
  let settings = start.settings;
  let locked = start.locked;
  let changing: Promise<unknown> = Promise.resolve();
  /** What the file must hold; `undefined` for no file. */
  let expected = settings && fileText(settings);

  if (start.alarm !== undefined) raise({ kind: "tampered", path, text: start.alarm, ...(locked && { fix: lockedFix(locked, path) }) });
  if (settings !== undefined) {
    await store.setFact(FACT, JSON.stringify([factorsText(settings)]));
    if (textIn(state) !== expected) writeFile();
  }

  const watch = watchSignature({
    signature: () => textIn(state) ?? "",
    before: locked === undefined ? (expected ?? "") : (textIn(state) ?? ""),
    files: { folder: state, names: [PROTECT_FILE] },
    onChange: putBack,
  });

  function putBack(): void {
    if (locked !== undefined || textIn(state) === expected) return;
    const what = expected === undefined ? "appeared" : textIn(state) === undefined ? "was removed" : "was changed";
    raise({
      kind: "tampered",
      path,
      text: `The file of hookline protect ${what}, and not by the hub. The hub ignores it and has put ${expected === undefined ? "nothing in its place" : "its own back"}.`,
    });
    writeFile();
  }

  function writeFile(): void {
    try {
      if (expected === undefined) rmSync(path, { force: true });
      else replacePrivately(state, PROTECT_FILE, expected);
    } catch (error) {
      onProblem(
        `"${path}" could not be written, so hookline protect will need the recovery code after a restart: ${(error as Error).message}`,
      );
    }
  }

  function use(next: ProtectSettings | undefined): void {
    settings = next;
    locked = undefined;
    expected = next && fileText(next);
    writeFile();
  }

  /** The store has both versions while the file changes, so a crash in between does not lock the hub. */
  function change(message: string, make: () => ProtectSettings | Promise<ProtectSettings>): Promise<void> {
    const changed = changing.then(async () => {
      const next = await make();
      const texts = [next, ...(settings === undefined ? [] : [settings])].map(factorsText);
      await store.setFact(FACT, JSON.stringify(texts));
      use(next);
      await store.setFact(FACT, JSON.stringify(texts.slice(0, 1)));
      note(message);
    });
    changing = changed.catch(() => {});
    return changed;
  }

  /** With a factor that was stolen, another person would do this first. */
  function loosened(text: string): void {
    raise({ kind: "loosened", text, fix: { run: "hookline protect" } });
  }

  function current(): ProtectSettings {
    if (settings === undefined) throw conflict("hookline protect is off.", "hookline protect on");
    return settings;
  }

  function neededFor(by: "recovery" | undefined): ConfirmNeeded["factors"] {
    const recovery = locked === undefined ? settings?.recovery : locked.recovery;
    if (by === "recovery") return recovery === undefined ? {} : { recovery };
    const { passphrase, passkeys = [] } = settings ?? {};
    const rpId = passkeys[0]?.rpId;
    return {
      ...(passphrase !== undefined && { passphrase }),
      ...(rpId !== undefined && { passkey: { rpId, credentials: passkeys.map(({ id, transports }) => ({ id, transports })) } }),
    };
  }

  async function factorOf(given: Confirmation, hash: Buffer, { by, origin }: ConfirmRequest): Promise<Factor | undefined> {
    if (given.factor === "passkey") {
      if (by === "recovery" || settings === undefined) return undefined;
      const used = await verifyPasskey(given.response, settings.passkeys, { origin, challenge: hash.toString("base64url") });
      if (used === undefined || settings === undefined) return undefined;
      count(used);
      return "passkey";
    }
    const key = neededFor(by)[given.factor];
    return key !== undefined && isSigned(key, hash, given.signature) ? given.factor : undefined;
  }

  /** The counter only helps to notice a copied passkey, so the store does not need it. */
  function count(used: Passkey): void {
    const { passkeys } = current();
    settings = { ...current(), passkeys: passkeys.map((key) => (key.id === used.id ? used : key)) };
    expected = fileText(settings);
    writeFile();
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

  function passkeyPlace(origin: string): { readonly origin: string; readonly rpId: string } {
    const rpId = dashboardName();
    if (rpId !== undefined && new URL(origin).hostname === rpId) return { origin, rpId };
    throw badRequest("Passkeys work only at the dashboard's own address, <name>.localhost.", { run: "hookline open --approve" });
  }

  async function withFactors(before: ProtectSettings, { passphrase, passkey }: NewFactors, origin: string): Promise<ProtectSettings> {
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
      return settings !== undefined || locked !== undefined;
    },
    get passkeyName() {
      return settings?.passkeys[0]?.rpId;
    },
    facts() {
      const name = dashboardName();
      const isOn = settings !== undefined || locked !== undefined;
      return {
        isOn,
        means: MODE_MEANS[modeOf({ protect: { isOn } })],
        ...(locked !== undefined && { locked: locked.why }),
        ...(settings !== undefined && { since: settings.since }),
        passphrase: settings?.passphrase !== undefined,
        passkeys: (settings?.passkeys ?? []).map(({ id, name, addedAt }) => ({ id, name, addedAt })),
        ...(name !== undefined && { passkeysAt: name }),
      };
    },
    async confirm(request) {
      if (settings === undefined && locked === undefined) return undefined;
      const { method, path: target, allows, header, by } = request;
      if (locked !== undefined && (by !== "recovery" || locked.recovery === undefined))
        throw new Refused(403, "HL_PROTECT_LOCKED", locked.why, { fix: lockedFix(locked, path) });
      const body = digestOf(request.body);
      if (header === undefined) {
        const bound = confirmText({ challenge: "", method, path: target, body, allows: digestOf(allows) });
        const confirm = { challenge: challenges.issue(bound), allows, forMs: CHALLENGE_MS, factors: neededFor(by) };
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
      const hash = createHash("sha256")
        .update(confirmText({ ...what, challenge }))
        .digest();
      const factor = await factorOf(given, hash, request);
      if (factor === undefined) throw refuse(request, "it is not signed by a factor of the operator");
      // Checked again, because another request may have used it while this one was verified.
      if (challenges.check(challenge, confirmText({ ...what, challenge: "" })) !== "good") throw refuse(request, WHY.used);
      challenges.use(challenge);
      return factor;
    },
    passkeyOptions(origin) {
      const { rpId } = passkeyPlace(origin);
      return {
        rpId,
        challenge: challenges.issue(`${ENROL}\n${rpId}`),
        user: randomBytes(16).toString("base64url"),
        exclude: (settings?.passkeys ?? []).map(({ id }) => id),
      };
    },
    turnOn: (factors, recovery, origin) =>
      change(`hookline protect was turned on with a ${factors.passkey === undefined ? "passphrase" : "passkey"}.`, () => {
        if (settings !== undefined || locked !== undefined) throw conflict("hookline protect is on already.", "hookline protect status");
        if (factors.passphrase === undefined && factors.passkey === undefined)
          throw badRequest("Turning protect on needs a passphrase or a passkey.");
        return withFactors({ version: 1, since: new Date().toISOString(), passkeys: [], recovery }, factors, origin);
      }),
    addFactor: (factors, origin) =>
      change(`A ${factors.passkey === undefined ? "new passphrase" : "passkey"} confirms what operates from now on.`, () =>
        withFactors(current(), factors, origin),
      ),
    removeFactor: (which) =>
      change(`A ${which === "passphrase" ? "passphrase" : "passkey"} no longer confirms anything.`, () => {
        const { passphrase, ...before } = current();
        const passkeys = before.passkeys.filter(({ id }) => which === "passphrase" || id !== which.passkey);
        const kept = which === "passphrase" ? undefined : passphrase;
        if (kept === undefined && passkeys.length === 0)
          throw conflict("This is the last factor. Add another one first, or turn protect off.", "hookline protect off");
        return { ...before, passkeys, ...(kept && { passphrase: kept }) };
      }),
    renewRecovery: (recovery) => change("The recovery code was replaced.", () => ({ ...current(), recovery })),
    async recover(passphrase, recovery) {
      await change("Every factor was replaced with the recovery code.", () => {
        // While protect is off, nothing was confirmed.
        if (locked === undefined) current();
        return { version: 1, since: new Date().toISOString(), passkeys: [], passphrase, recovery };
      });
      loosened("Every factor of hookline protect was replaced with the recovery code.");
    },
    turnOff() {
      const changed = changing.then(async () => {
        current();
        await store.setFact(FACT, undefined);
        use(undefined);
        loosened("hookline protect was turned off.");
      });
      changing = changed.catch(() => {});
      return changed;
    },
    close: () => watch.close(),
  };
}

const WHY = {
  expired: "it is older than two minutes",
  used: "it was used before",
  foreign: "it was made for something else",
} as const;

interface Locked {
  readonly why: string;
  /** Missing if no recovery code can be checked. */
  readonly recovery?: DerivedKey;
}

interface StartState {
  readonly settings?: ProtectSettings;
  readonly locked?: Locked;
  readonly alarm?: string;
}

/** The store's copy counts where it and the file disagree. */
function startState(file: ReturnType<typeof readSettings>, record: readonly ProtectSettings[]): StartState {
  const [known] = record;
  if (known === undefined) {
    if (file.state === "none") return {};
    if (file.state === "found")
      return { settings: file.settings, alarm: "hookline protect is on according to its file, but the store does not know about it." };
    const why =
      "The file of hookline protect cannot be read, and the store does not know whether protect was on. The hub does not operate.";
    return { locked: { why }, alarm: why };
  }
  if (file.state === "found" && record.some((settings) => factorsText(settings) === factorsText(file.settings)))
    return { settings: file.settings };
  const why = `The file of hookline protect ${file.state === "none" ? "was removed" : "was changed"} while the hub was stopped. The hub does not operate until you enter the recovery code.`;
  return { locked: { why, recovery: known.recovery }, alarm: why };
}

function lockedFix({ recovery }: Locked, path: string) {
  return recovery === undefined ? `Stop the hub, remove "${path}", and start the hub again.` : { run: "hookline protect recover" };
}

function readRecord(text: string | undefined): readonly ProtectSettings[] {
  if (text === undefined) return [];
  const texts = z.array(z.string()).safeParse(JSON.parse(text));
  return (texts.data ?? []).flatMap((one) => parseSettings(one) ?? []);
}

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

function fileText(settings: ProtectSettings): string {
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

/** A file that others can write, or that is a link, a pipe or a folder, has no text of ours. */
function textIn(state: string): string | undefined {
  const read = readPrivately(state, PROTECT_FILE);
  if (read.state === "none") return undefined;
  return read.state === "found" ? read.bytes.toString("utf8") : `${read.state}: ${read.reason}`;
}

function conflict(message: string, run: string): Refused {
  return new Refused(409, "HL_BAD_REQUEST", message, { fix: { run } });
}
