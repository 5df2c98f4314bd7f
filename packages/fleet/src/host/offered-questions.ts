import { errorText } from "@hookline/core/internal/machine";
import { JetStreamApiError, jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetApprovals, PendingApproval } from "hookline/internal/fleet";
import type { PinnedRoster } from "../credentials/pinned-roster.js";
import type { Link } from "../nats/link.js";
import { ASK_STREAM, subjects } from "../nats/subjects.js";
import { type AnswerStatement, checkAnswer, decodeAnswer } from "../questions/answer.js";
import { encodeQuestion, type Question, questionKey, shownDigest } from "../questions/question.js";
import type { FleetAlways } from "./fleet-always.js";

const LIMIT_PER_SUBJECT = 10077;
/** A question that could not be published is tried again while it waits. */
const AGAIN_MS = 2000;
/** How long the end of a question stays on the server after its time, for those whose clock is behind. */
const END_SECONDS = 60;

export interface OfferedQuestionsOptions {
  readonly connection: NatsConnection;
  readonly link: Link;
  readonly host: string;
  readonly fleet: string;
  readonly approvals: FleetApprovals;
  readonly roster: PinnedRoster;
  readonly always: FleetAlways;
  readonly onProblem: (text: string) => void;
}

export interface OfferedQuestions {
  readonly counts: { readonly offered: number; readonly answered: number; readonly refused: number };
  close(): Promise<void>;
}

interface Offered {
  readonly row: PendingApproval;
  state: "new" | "sending" | "sent";
  isCut: boolean;
  /** What was published, and its digest. */
  data?: Uint8Array;
  shown?: string;
  /** An answer is being checked, or was refused: the server keeps one answer per question. */
  isJudged: boolean;
}

/** Shows the questions of this host to the fleet, and takes the first answer that proves who gave it. The host's own approvers can answer too. */
export function offerQuestions({
  connection,
  link,
  host,
  fleet,
  approvals,
  roster,
  always,
  onProblem,
}: OfferedQuestionsOptions): OfferedQuestions {
  const offered = new Map<string, Offered>();
  const counts = { offered: 0, answered: 0, refused: 0 };
  const stream = jetstream(connection);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function look(): void {
    clearTimeout(timer);
    if (isClosed) return;
    const waiting = new Map(approvals.list().map((row) => [questionKey(row), row]));
    for (const [key, entry] of offered)
      if (!waiting.has(key)) {
        offered.delete(key);
        if (entry.state !== "new") void end(key, entry.row);
      }
    for (const [key, row] of waiting) if (!offered.has(key)) offered.set(key, { row, state: "new", isCut: false, isJudged: false });
    for (const { row, isCut } of [...offered.values()]) if (!isCut && allowAlways(row)) return;
    for (const [key, entry] of offered) if (entry.state === "new" && link.isUp) void send(key, entry);
    if ([...offered.values()].some(({ state }) => state === "new")) later();
  }

  function later(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(look, AGAIN_MS).unref();
  }

  /** Whether the policy of the fleet has answered: then the list has changed, and this was called again. */
  function allowAlways(row: PendingApproval): boolean {
    const call = approvals.callHash(row);
    const by = call && always.find(call);
    if (by === undefined || by === "") return false;
    try {
      const { id, hash } = row;
      approvals.answer(id, {
        verdict: "allow",
        hash,
        by,
        reason: "always allowed in the fleet",
        policy: "fleet-always",
        given: { via: "fleet" },
      });
      counts.answered++;
      return true;
    } catch {
      // It was answered a moment ago.
      return false;
    }
  }

  async function send(key: string, entry: Offered): Promise<void> {
    entry.state = "sending";
    const seconds = Math.ceil((entry.row.expiresAt - Date.now()) / 1000);
    try {
      if (seconds <= 0) return;
      if (entry.data === undefined) {
        const question = questionOf(await approvals.shown(entry.row), approvals.callHash(entry.row));
        entry.data = encodeQuestion(question);
        entry.isCut = entry.data.length < Buffer.byteLength(JSON.stringify(question));
        entry.shown = shownDigest(entry.data);
      }
      await stream.publish(subjects.question(host, key), entry.data, { ttl: `${seconds}s` });
      counts.offered++;
      entry.state = "sent";
    } catch (error) {
      // It was published before a connection was lost.
      const isThere = error instanceof JetStreamApiError && error.code === LIMIT_PER_SUBJECT;
      entry.state = isThere ? "sent" : "new";
      if (!isThere && link.isUp) onProblem(`A question was not shown to the fleet: ${errorText(error)}`);
      if (!isThere) later();
    }
    // It may have ended meanwhile.
    if (offered.get(key) !== entry && entry.state === "sent") await end(key, entry.row);
  }

  async function end(key: string, row: PendingApproval): Promise<void> {
    const seconds = Math.max(0, Math.ceil((row.expiresAt - Date.now()) / 1000)) + END_SECONDS;
    try {
      if (link.isUp)
        await stream.publish(subjects.ended(host, key), JSON.stringify({ id: row.id, at: Date.now() }), { ttl: `${seconds}s` });
    } catch {
      // The question itself goes when its time is over.
    }
  }

  async function judge(key: string, data: Uint8Array): Promise<void> {
    const entry = offered.get(key);
    if (entry === undefined || entry.isJudged) return;
    entry.isJudged = true;
    const refused = await answerFrom(entry, data);
    if (refused === undefined) counts.answered++;
    else if (offered.get(key) === entry) {
      counts.refused++;
      approvals.refused(`An answer from the fleet to "${entry.row.by}" does not count: ${refused}.`, entry.row);
    }
  }

  /** Why the answer does not count. */
  async function answerFrom({ row, isCut, shown }: Offered, data: Uint8Array): Promise<string | undefined> {
    const answer = decodeAnswer(data);
    if (answer === undefined) return "it cannot be read";
    // A person who was removed a moment ago must not answer.
    await roster.refresh(connection).catch(() => {});
    if (roster.roster === undefined) return "this host has no roster yet";
    const checked = await checkAnswer(answer, { roster: roster.roster, passkey: approvals.isPasskeyResponse, now: Date.now() });
    if ("refused" in checked) return checked.refused;
    const { statement, factor } = checked;
    const other = mismatch(statement, row);
    if (other !== undefined) return other;
    if (statement.shown !== shown) return "the person was shown another question";
    if (statement.verdict === "allow" && factor !== "passkey" && approvals.needsFactor())
      return "`hookline protect` is on there, and a signature by a key in a file does not prove that a person gave it";
    if (isCut && statement.verdict === "allow") return "the call was too large to be shown in the fleet, so it can only be denied there";
    try {
      const { verdict, hash, by, reason } = statement;
      approvals.answer(row.id, { verdict, hash, by, ...(reason !== undefined && { reason }), given: { via: "fleet", proof: factor } });
      return undefined;
    } catch (error) {
      return errorText(error).replace(/\.$/, "");
    }
  }

  function mismatch(statement: AnswerStatement, row: PendingApproval): string | undefined {
    if (statement.fleet !== fleet) return "it is for another fleet";
    if (statement.host !== host) return `it is for the host ${statement.host}`;
    if (statement.question !== row.id) return "it is for another question";
    return statement.hash === row.hash ? undefined : "it is for another call";
  }

  /** Answers that came while the connection was down. */
  async function readAnswers(): Promise<void> {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    for (const [key, { isJudged }] of offered) {
      if (isJudged) continue;
      const found = await manager.direct.getMessage(ASK_STREAM, { last_by_subj: subjects.answer(host, key) }).catch(() => null);
      if (found !== null) await judge(key, found.data);
    }
  }

  const answers = connection.subscribe(subjects.told(subjects.answer(host, "*")), {
    callback: (_, { subject, data }) => void judge(subject.split(".").at(-1) ?? "", data),
  });
  const unwatch = approvals.onChange(look);
  always.onChange(look);
  link.onUp(() => {
    look();
    readAnswers().catch((error: unknown) => onProblem(`Answers of the fleet were not read: ${errorText(error)}`));
  });
  look();
  return {
    counts,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      unwatch();
      if (connection.isClosed()) return;
      answers.unsubscribe();
      await Promise.all([...offered].map(([key, { state, row }]) => (state === "new" ? undefined : end(key, row))));
    },
  };
}

function questionOf(
  { id, event, hash, by, askedAt, expiresAt, payload, asked, reason, asks, source, session, cwd }: PendingApproval,
  call?: string,
): Question {
  return {
    format: 1,
    id,
    event,
    hash,
    by,
    askedAt,
    expiresAt,
    payload,
    ...(asked !== undefined && { asked }),
    ...(reason !== undefined && { reason }),
    ...(asks !== undefined && { asks: asks.map((ask) => ({ by: ask.by, ...(ask.reason !== undefined && { reason: ask.reason }) })) }),
    ...(source !== undefined && { app: source.app }),
    ...(session !== undefined && { session: session.id }),
    ...(cwd !== undefined && { cwd }),
    ...(call !== undefined && { call }),
  };
}
