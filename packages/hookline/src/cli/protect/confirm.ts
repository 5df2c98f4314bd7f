import { createHash } from "node:crypto";
import { inertText } from "@hookline/core/internal/text";
import { type Confirmation, type ConfirmNeeded, confirmText, type DerivedKey } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { deriveKey, readRecoveryCode, type SecretKey } from "./derived-key.js";
import { openPerson, type Person } from "./person.js";

const DASHBOARD = "Run it in a terminal yourself, or do it in the dashboard: hookline open --approve";
const MAX_TRIES = 3;
/** A challenge that the person took longer to answer is replaced before it expires. */
const FRESH_MS = 60_000;

/** Typed once for each command. A command may need several requests, such as one for a file and one for the policy in it. */
let typed: SecretKey | undefined;

/** For a command that goes on: what comes next needs the secret again. */
export function forgetSecret(): void {
  typed = undefined;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Shows the person what the request does, asks for the secret, and returns the header that confirms this request and no other. */
export async function confirmRequest(needed: ConfirmNeeded, request: Request, again: () => Promise<ConfirmNeeded>): Promise<string> {
  const { passphrase, recovery, totp } = needed.factors;
  const factor = recovery === undefined ? "passphrase" : "recovery";
  const known = recovery ?? passphrase;
  if (totp === true && recovery === undefined && (known === undefined || typed?.publicKey !== known.publicKey))
    return confirmWithCode(needed, request, again, known);
  if (known === undefined)
    throw new CliError("Only your passkey can confirm this, and it works in the dashboard.", {
      fix: "Do it in the dashboard, or set a passphrase there for the terminal: hookline open --approve",
    });
  const person = openPerson(DASHBOARD);
  try {
    const askedAt = performance.now();
    if (typed?.publicKey === known.publicKey) {
      person.tell(`It also allows this part of the same command:\n  ${inertText(needed.allows)}`);
      return headerOf(needed, request, { factor, key: typed });
    }
    person.tell(`hookline protect is on. Your ${NAMES[factor]} allows exactly this:\n  ${inertText(needed.allows)}`);
    const key = await askKey(person, factor, known);
    typed = key;
    const fresh = performance.now() - askedAt < FRESH_MS ? needed : await again();
    if (fresh.allows !== needed.allows)
      throw new CliError("What this would do has changed meanwhile. Nothing was confirmed. Run it again.");
    return headerOf(fresh, request, { factor, key });
  } finally {
    person.close();
  }
}

/** Asks for the old recovery code before a command makes new secrets. The request that follows is confirmed with it. */
export async function askOldRecoveryCode(person: Person, { allows, factors: { recovery } }: ConfirmNeeded): Promise<void> {
  if (recovery === undefined) return;
  person.tell(`Your ${NAMES.recovery} allows exactly this:\n  ${inertText(allows)}`);
  typed = await askKey(person, "recovery", recovery);
}

/** A code of an authenticator app, or the passphrase if there is one. A code works once, so each part of a command needs another. */
async function confirmWithCode(
  needed: ConfirmNeeded,
  request: Request,
  again: () => Promise<ConfirmNeeded>,
  known: DerivedKey | undefined,
): Promise<string> {
  const person = openPerson(DASHBOARD);
  try {
    person.tell(`hookline protect is on. You allow exactly this:\n  ${inertText(needed.allows)}`);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const said = (await person.askSecret(known === undefined ? "Code of your app: " : "Code of your app, or passphrase: ")).trim();
      const isCode = /^\d{6}$/.test(said);
      const key = isCode || known === undefined ? undefined : await deriveKey(said, known.salt);
      if (!isCode && (key === undefined || key.publicKey !== known?.publicKey)) {
        person.tell(known === undefined ? "A code has six digits." : "That is neither a code nor the passphrase.");
        continue;
      }
      const fresh = await again();
      if (fresh.allows !== needed.allows) break;
      if (key === undefined) return encoded({ challenge: fresh.challenge, allows: digestOf(fresh.allows), factor: "totp", code: said });
      typed = key;
      return headerOf(fresh, request, { factor: "passphrase", key });
    }
    throw new CliError("Nothing was confirmed, and nothing was done.", { fix: "Run it again." });
  } finally {
    person.close();
  }
}

const NAMES = { passphrase: "passphrase", recovery: "old recovery code" } as const;
type SecretFactor = keyof typeof NAMES;

/** A wrong secret is noticed here, so that one that reaches the hub is never a slip of the finger. */
async function askKey(person: Person, kind: SecretFactor, { salt, publicKey }: DerivedKey): Promise<SecretKey> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const typed = await person.askSecret(kind === "recovery" ? "Old recovery code: " : "Passphrase: ");
    const key = await deriveKey(kind === "recovery" ? readRecoveryCode(typed) : typed, salt);
    if (key.publicKey === publicKey) return key;
    person.tell(`That is not the ${NAMES[kind]}.`);
  }
  throw new CliError(`The ${NAMES[kind]} was wrong ${MAX_TRIES} times. Nothing was done.`, {
    fix: kind === "recovery" ? undefined : { run: "hookline protect recover" },
  });
}

function headerOf(
  { challenge, allows }: ConfirmNeeded,
  { method, path, body }: Request,
  { factor, key }: { readonly factor: SecretFactor; readonly key: SecretKey },
): string {
  const confirmed = { challenge, method, path, body: digestOf(body), allows: digestOf(allows) };
  const signature = key.sign(confirmText(confirmed));
  return encoded({ challenge, allows: confirmed.allows, factor, signature });
}

function encoded(confirmation: Confirmation): string {
  return Buffer.from(JSON.stringify(confirmation)).toString("base64url");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
