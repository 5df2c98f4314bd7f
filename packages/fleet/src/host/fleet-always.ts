import { errorText } from "@hookline/core/internal/machine";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { PinnedRoster } from "../credentials/pinned-roster.js";
import type { Link } from "../nats/link.js";
import { readBucket } from "../nats/read-bucket.js";
import { bucketStream, buckets, subjects } from "../nats/subjects.js";
import { checkAnswer, decodeAnswer, mayAnswer, type PasskeyCheck } from "../questions/answer.js";

const PERIOD_MS = 60_000;

export interface FleetAlwaysOptions {
  readonly connection: NatsConnection;
  readonly link: Link;
  readonly roster: PinnedRoster;
  readonly passkey: PasskeyCheck;
  /** Whether only a passkey may allow. */
  readonly needsFactor: () => boolean;
  readonly onProblem: (text: string) => void;
}

interface Allowed {
  readonly by: string;
  readonly isPasskey: boolean;
}

/** The calls that a person has allowed for the whole fleet. */
export interface FleetAlways {
  /** The person who allowed the call with this hash. */
  find(call: string): string | undefined;
  readonly size: number;
  /** Told when they are others. */
  onChange(listener: () => void): void;
  close(): void;
}

/**
 * Follows the bucket `always`. Each entry is the signed answer in which a person allowed the call, and it counts as long as the roster has that person
 * with a role that may answer. A deleted entry no longer counts.
 */
export function followFleetAlways({ connection, link, roster, passkey, needsFactor, onProblem }: FleetAlwaysOptions): FleetAlways {
  let allowed = new Map<string, Allowed>();
  let turn: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const listeners: (() => void)[] = [];

  /** The person who allowed the call, if the entry proves it. */
  async function allowedBy(call: string, data: Uint8Array): Promise<Allowed | undefined> {
    const answer = decodeAnswer(data);
    if (answer === undefined || roster.roster === undefined) return undefined;
    // It was signed when its question waited. An entry has no end but its removal.
    const checked = await checkAnswer(answer, { roster: roster.roster, passkey, now: 0 });
    if ("refused" in checked) return undefined;
    const { always, verdict, by } = checked.statement;
    return always === call && verdict === "allow" ? { by, isPasskey: checked.factor === "passkey" } : undefined;
  }

  async function read(): Promise<void> {
    await roster.refresh(connection);
    const next = new Map<string, Allowed>();
    for (const [call, data] of await readBucket(connection, buckets.always)) {
      const by = await allowedBy(call, data);
      if (by !== undefined) next.set(call, by);
    }
    allowed = next;
  }

  async function take({ subject, headers, data }: Msg): Promise<void> {
    // Another host can let the server's replies come here, such as an answer that was given to it.
    if (headers?.get("Nats-Stream") !== bucketStream(buckets.always)) return;
    const call = subject.slice(subjects.told(subjects.key(buckets.always, "")).length);
    // First of all, what was there no longer counts.
    allowed.delete(call);
    const by = data.length === 0 ? undefined : await allowedBy(call, data);
    if (by !== undefined) allowed.set(call, by);
  }

  function next(act: () => Promise<void>): void {
    turn = turn.then(act).then(
      () => {
        if (!isClosed) for (const listener of listeners) listener();
      },
      (error: unknown) => {
        if (link.isUp && !isClosed) onProblem(`The calls that the fleet always allows were not read: ${errorText(error)}`);
      },
    );
  }

  const refresh = (): void => next(read);

  function later(): void {
    timer = setTimeout(
      () => {
        if (link.isUp) refresh();
        later();
      },
      PERIOD_MS * (0.75 + Math.random() / 2),
    ).unref();
  }

  const hint = connection.subscribe(subjects.told(subjects.key(buckets.always, ">")), {
    callback: (_, message) => next(() => take(message)),
  });
  link.onUp(refresh);
  refresh();
  later();
  return {
    find(call) {
      const { by, isPasskey = false } = allowed.get(call) ?? {};
      if (needsFactor() && !isPasskey) return undefined;
      // Without a connection this host does not learn that a permission was withdrawn. A removed person allows nothing.
      return link.isUp && by !== undefined && mayAnswer(roster.roster, by) ? by : undefined;
    },
    get size() {
      return allowed.size;
    },
    onChange: (listener) => void listeners.push(listener),
    close() {
      isClosed = true;
      clearTimeout(timer);
      if (!connection.isClosed()) hint.unsubscribe();
    },
  };
}
