import { join } from "node:path";
import { withFix } from "@hookline/core/internal";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { countText } from "@hookline/core/internal/text";
import type { ChainHead, KeptHead } from "../protocol.js";
import type { Store } from "./store.js";

/** In the state folder, beside the store or far from it: a head that stands in the store itself would be cut off with its tail. */
const HEAD_FILE = "decision-heads.json";
const PERIOD_MS = 10_000;
const MAX_STORES = 20;
const MAX_MISSING = 20;

interface Written extends ChainHead {
  readonly at: string;
}

/** What is written down of one store: its head, and earlier ones that were not in it any more when a hub started. */
interface Noted extends Written {
  readonly missing?: readonly Written[];
}

type HeadFile = { readonly [store: string]: Noted };

/** The heads that were written down for a store. A file that cannot be read says nothing. */
export function readKeptHeads(state: string, store: string): KeptHead[] {
  const noted = readFile(state)[store];
  if (noted === undefined) return [];
  const { missing = [], ...head } = noted;
  const file = join(state, HEAD_FILE);
  return [...missing, head].map(({ chain, n, hash, at }) => ({ chain, n, hash, at, from: file, file }));
}

export interface DecisionHead {
  /** How many heads were kept that the store does not hold any more. */
  readonly missing: number;
  /** Where the store stands. */
  readonly path: string;
  /** What the store must hold: the heads in the file, and the one that the hub has in memory. */
  kept(): Promise<KeptHead[]>;
  close(): Promise<void>;
}

interface HeadParts {
  readonly store: Pick<Store, "chainHead" | "holdsHead">;
  readonly path: string;
  readonly state: string;
  readonly onProblem: (text: string) => void;
}

/**
 * Writes the head of the decisions down, now and then and at the end. At the start it looks whether the store still holds the head of last
 * time; one that is not there stays in the file, so that `hookline verify` reports it until the operator removes the file.
 */
export async function keepDecisionHead({ store, path, state, onProblem }: HeadParts): Promise<DecisionHead> {
  const { missing = [], ...last } = readFile(state)[path] ?? { missing: [] };
  const lost: Written[] = [...missing];
  if ("hash" in last && !(await store.holdsHead(last))) {
    lost.push(last);
    const message = `The store "${path}" does not hold the decisions that were in it at ${last.at}: ${countText(last.n, "entry was", "entries were")} chained.`;
    onProblem(withFix(message, { run: "hookline verify" }));
  }
  const stillMissing = lost.slice(-MAX_MISSING);
  let written: string | undefined;
  let isFailing = false;

  async function write(): Promise<void> {
    const head = await store.chainHead();
    if (head.hash === written) return;
    const noted: Noted = { ...head, at: new Date().toISOString(), ...(stillMissing.length > 0 && { missing: stillMissing }) };
    // The oldest stores go first: a key that is set again moves to the end.
    const { [path]: _, ...others } = readFile(state);
    const entries = [...Object.entries(others), [path, noted] as const].slice(-MAX_STORES);
    writePrivateJson(state, HEAD_FILE, Object.fromEntries(entries));
    written = head.hash;
    isFailing = false;
  }

  async function attempt(): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!isFailing) onProblem(`"${join(state, HEAD_FILE)}" cannot be written: ${(error as Error).message}`);
      isFailing = true;
    }
  }

  await attempt();
  const timer = setInterval(() => void attempt(), PERIOD_MS).unref();
  return {
    missing: stillMissing.length,
    path,
    kept: async () => [...readKeptHeads(state, path), { ...(await store.chainHead()), from: "The running hub" }],
    close() {
      clearInterval(timer);
      return attempt();
    },
  };
}

function readFile(state: string): HeadFile {
  const found = readPrivateJson(state, HEAD_FILE);
  if (typeof found !== "object" || found === null) return {};
  return Object.fromEntries(
    Object.entries(found).flatMap(([path, noted]) => {
      if (!isWritten(noted)) return [];
      const { chain, n, hash, at } = noted;
      const missing = Array.isArray((noted as Noted).missing) ? (noted as Noted).missing?.filter(isWritten) : [];
      return [[path, { chain, n, hash, at, missing: missing ?? [] }]];
    }),
  );
}

function isWritten(value: unknown): value is Written {
  const { chain, n, hash, at } = (value ?? {}) as { readonly [field: string]: unknown };
  return typeof chain === "string" && Number.isSafeInteger(n) && typeof hash === "string" && typeof at === "string";
}
