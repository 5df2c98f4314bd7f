import { randomBytes, randomInt } from "node:crypto";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { z } from "zod";
import type { AlarmReport } from "../alarms/alarms.js";
import { Refused } from "../http/refused.js";
import { createChallenges } from "../protect/challenges.js";
import { type PasskeyPlace, type RegistrationResponse, readNewPasskey } from "../protect/passkeys.js";
import { type Passkey, passkey as passkeySchema } from "../protect/settings.js";
import type { PasskeyOptionsAnswer } from "../protocol.js";
import type { Store } from "../store/store.js";

/** The passkeys that answer calls at the dashboard's public origin. */
export interface Phones {
  /** The public origin; nothing without `publicUrl`. */
  readonly origin: string | undefined;
  /** Those that were made at the public origin. */
  list(): readonly Passkey[];
  /** For `navigator.credentials.create` at the public origin. */
  options(): PasskeyOptionsAnswer;
  /** Keeps a new passkey until a person at the hub's machine has typed the code. Throws 400. */
  propose(name: string, response: RegistrationResponse): Promise<{ readonly code: string; readonly forMs: number }>;
  /** The name of the passkey with this code. Throws 409. */
  named(code: string): string;
  /** From now on the passkey with this code counts. Throws 409. */
  accept(code: string): Promise<Passkey>;
  /** False for a passkey that is not there. */
  remove(id: string): Promise<boolean>;
  /** The passkey was used: its counter is kept, to notice a copy. */
  used(passkey: Passkey): void;
}

interface PhonesOptions {
  readonly state: string;
  readonly store: Pick<Store, "fact" | "setFact">;
  readonly origin: string | undefined;
  readonly raise: (alarm: AlarmReport) => void;
  readonly note: (message: string) => void;
  readonly now?: () => number;
}

interface Proposal {
  readonly passkey: Passkey;
  readonly code: string;
  readonly until: number;
  wrong: number;
}

const FILE = "phones.json";
const FACT = "phones";
const ENROL = "hookline phone 1";
const PROPOSAL_MS = 600_000;
const MAX_WRONG = 3;
const MAX_PHONES = 16;

/**
 * The list is in a file, and its copy in the store. If they differ when the hub starts, one of them was changed from outside: then no passkey
 * counts, and phones can only look.
 */
export async function openPhones({ state, store, origin, raise, note, now = Date.now }: PhonesOptions): Promise<Phones> {
  const challenges = createChallenges();
  const rpId = origin === undefined ? undefined : new URL(origin).hostname;
  let proposal: Proposal | undefined;
  let phones = readPhones(readPrivateJson(state, FILE));
  const known = await store.fact(FACT);
  if (listText(phones) !== (known ?? listText([]))) {
    phones = [];
    raise({
      kind: "tampered",
      path: FILE,
      text: "The list of passkeys that answer from phones was changed while the hub was stopped. None of them counts any more.",
      fix: { run: "hookline open --phone" },
    });
    await keep(phones);
  }

  async function keep(next: readonly Passkey[]): Promise<void> {
    // The store first: after a crash in between, no passkey counts.
    await store.setFact(FACT, listText(next));
    writePrivateJson(state, FILE, next);
    phones = next;
  }

  let turn = Promise.resolve();

  /** One change after the other: each begins with what the one before has left, or a passkey that was removed would come back. */
  function change(next: (now: readonly Passkey[]) => readonly Passkey[]): Promise<void> {
    const changed = turn.then(() => keep(next(phones)));
    turn = changed.catch(() => {});
    return changed;
  }

  function place(): PasskeyPlace {
    if (origin !== undefined && rpId !== undefined) return { origin, rpId };
    throw new Refused(409, "HL_BAD_REQUEST", "The hub has no public address, so phones can only look.", { fix: NO_URL });
  }

  function proposed(code: string): Proposal {
    const found = proposal;
    if (found === undefined || found.until <= now()) throw conflict("No phone waits for a number.");
    if (found.code === code) return found;
    found.wrong += 1;
    if (found.wrong >= MAX_WRONG) proposal = undefined;
    throw conflict(
      found.wrong >= MAX_WRONG
        ? "The number was wrong three times, so the phone's passkey was dismissed."
        : "That is not the number that the phone shows. If you typed it as shown, another device used the link: stop here.",
    );
  }

  return {
    origin,
    list: () => phones.filter((phone) => phone.rpId === rpId),
    options() {
      const { rpId } = place();
      return {
        rpId,
        challenge: challenges.issue(`${ENROL}\n${rpId}`),
        user: randomBytes(16).toString("base64url"),
        exclude: phones.map(({ id }) => id),
      };
    },
    async propose(name, response) {
      const where = place();
      const made = await readNewPasskey(response, {
        ...where,
        name,
        isExpected(challenge) {
          const isFresh = challenges.check(challenge, `${ENROL}\n${where.rpId}`) === "good";
          if (isFresh) challenges.use(challenge);
          return isFresh;
        },
      });
      const code = String(randomInt(1_000_000)).padStart(6, "0");
      proposal = { passkey: made, code, until: now() + PROPOSAL_MS, wrong: 0 };
      return { code, forMs: PROPOSAL_MS };
    },
    named: (code) => proposed(code).passkey.name,
    async accept(code) {
      const { passkey } = proposed(code);
      const others = (now: readonly Passkey[]): readonly Passkey[] => now.filter(({ id }) => id !== passkey.id);
      if (others(phones).length >= MAX_PHONES)
        throw conflict(`There are ${MAX_PHONES} passkeys of phones already.`, "hookline phones remove <name>");
      proposal = undefined;
      await change((now) => [...others(now), passkey]);
      note(`The passkey "${passkey.name}" answers calls at ${origin} from now on.`);
      return passkey;
    },
    async remove(id) {
      const gone = phones.find((phone) => phone.id === id);
      if (gone === undefined) return false;
      await change((now) => now.filter((phone) => phone.id !== id));
      note(`The passkey "${gone.name}" no longer answers calls.`);
      return true;
    },
    used(passkey) {
      phones = phones.map((phone) => (phone.id === passkey.id ? passkey : phone));
      try {
        writePrivateJson(state, FILE, phones);
      } catch (error) {
        // On a full disk a person can still answer.
        note(`That the passkey "${passkey.name}" was used could not be written down: ${(error as Error).message}`);
      }
    },
  };
}

export const NO_URL = 'Put publicUrl = "https://…" into [hub] of hookline.toml and start the hub again; docs/phone.md has recipes.';

function conflict(message: string, run = "hookline open --phone"): Refused {
  return new Refused(409, "HL_BAD_REQUEST", message, { fix: { run } });
}

function readPhones(value: unknown): readonly Passkey[] {
  return z.array(passkeySchema).safeParse(value).data ?? [];
}

/** The same text for the same passkeys, whatever their counters say. */
function listText(phones: readonly Passkey[]): string {
  return JSON.stringify(phones.map((phone) => ({ ...phone, counter: 0 })));
}
