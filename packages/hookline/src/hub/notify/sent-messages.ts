import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";

/** What became of the message about a question. */
interface SentMessage {
  /** `claimed`: it was about to be sent, and whether it was is not known. */
  readonly state: "claimed" | "sent";
  /** The service's name for it, if it can be edited. */
  readonly reference?: string;
  readonly app?: string;
  readonly event?: string;
  readonly at: number;
}

/** The messages of all targets, on disk: a hub that restarts does not ask twice. */
export interface SentMessages {
  get(target: string, question: string): SentMessage | undefined;
  set(target: string, question: string, message: Omit<SentMessage, "at">): void;
  remove(target: string, question: string): void;
}

const FILE = "notify.json";
const MAX_KEPT = 2_000;
/** No question waits longer than a day. */
const KEPT_MS = 2 * 24 * 3_600_000;

export function openSentMessages(state: string, onProblem: (text: string) => void): SentMessages {
  const kept = new Map(readKept(readPrivateJson(state, FILE)));
  const keyOf = (target: string, question: string): string => JSON.stringify([target, question]);

  function save(): void {
    const oldest = Date.now() - KEPT_MS;
    for (const [key, { at }] of kept) if (at < oldest || kept.size > MAX_KEPT) kept.delete(key);
    try {
      writePrivateJson(state, FILE, [...kept]);
    } catch (error) {
      onProblem(`The list of sent messages could not be saved, so a restart may send some twice: ${(error as Error).message}`);
    }
  }

  return {
    get: (target, question) => kept.get(keyOf(target, question)),
    set(target, question, message) {
      kept.set(keyOf(target, question), { ...message, at: Date.now() });
      save();
    },
    remove(target, question) {
      if (kept.delete(keyOf(target, question))) save();
    },
  };
}

function readKept(value: unknown): [string, SentMessage][] {
  if (!Array.isArray(value)) return [];
  return value.filter((entry): entry is [string, SentMessage] => {
    const [key, message] = Array.isArray(entry) ? entry : [];
    const { state, at } = Object(message) as Partial<SentMessage>;
    return typeof key === "string" && (state === "claimed" || state === "sent") && typeof at === "number";
  });
}
