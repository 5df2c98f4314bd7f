import { HookError } from "@hookline/core/internal/machine";
import { JetStreamApiError, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Link } from "../nats/link.js";
import { readStream } from "../nats/read-stream.js";
import { ASK_STREAM, subjects } from "../nats/subjects.js";
import { encodeAnswer, type SignedAnswer } from "./answer.js";
import { decodeQuestion, type HostQuestion, questionKey, shownDigest } from "./question.js";

const MAX_AGE_MS = 86_400_000;
const WRONG_LAST_SEQUENCE = 10071;
const LIMIT_PER_SUBJECT = 10077;

/** The questions of all hosts that wait for an answer. */
export class OpenQuestions {
  readonly #asked = new Map<string, HostQuestion>();
  readonly #over = new Map<string, number>();

  /** Takes a message of the stream of questions. A message that is not one of them is left out. */
  take(subject: string, data: Uint8Array): void {
    const [, kind, host = "", key = ""] = subject.split(".");
    const id = `${host}.${key}`;
    if (kind === "ask") {
      const question = decodeQuestion(data);
      // The key of another id would hide that question.
      if (question === undefined || questionKey(question) !== key) return;
      this.#asked.set(id, { ...question, host, shown: shownDigest(data) });
    } else {
      this.#over.set(id, Date.now() + MAX_AGE_MS);
      // What was asked is no longer needed; that it is over is, because the question may come again from the stream.
      this.#asked.delete(id);
    }
    this.#forget(Date.now());
  }

  /** Its own clock decides how long a host can keep a question here: a day at most. */
  #forget(now: number): void {
    for (const [id, { expiresAt, askedAt }] of this.#asked)
      if (expiresAt <= now || Math.abs(now - askedAt) > MAX_AGE_MS) this.#asked.delete(id);
    for (const [id, until] of this.#over) if (until <= now) this.#over.delete(id);
  }

  /** The oldest first. */
  list(now = Date.now()): readonly HostQuestion[] {
    this.#forget(now);
    const waiting = [...this.#asked].filter(([id]) => !this.#over.has(id)).map(([, question]) => question);
    // Of a question that was asked again, the last one.
    const last = new Map(
      waiting.sort((a, b) => a.askedAt - b.askedAt).map((question) => [JSON.stringify([question.host, question.id]), question]),
    );
    return [...last.values()].sort((a, b) => a.askedAt - b.askedAt);
  }
}

/** Reads what the server has of questions, answers and ends. */
export async function readQuestions(connection: NatsConnection, into: OpenQuestions): Promise<void> {
  for await (const { subject, data } of readStream(connection, ASK_STREAM)) into.take(subject, data);
}

/** Follows the questions of all hosts: reads them at each connection, and takes them as they come. */
export function followQuestions(
  connection: NatsConnection,
  link: Link,
  onProblem: (error: unknown) => void,
): OpenQuestions & { close(): void } {
  const questions = new OpenQuestions();
  const watched = [subjects.question("*", "*"), subjects.answer("*", "*"), subjects.ended("*", "*")].map((subject) =>
    connection.subscribe(subject, { callback: (_, message) => questions.take(message.subject, message.data) }),
  );
  const read = () => void readQuestions(connection, questions).catch(onProblem);
  link.onUp(read);
  read();
  return Object.assign(questions, {
    close() {
      if (!connection.isClosed()) for (const one of watched) one.unsubscribe();
    },
  });
}

/** Gives the fleet's answer to a question. Throws `HL_APPROVAL_GONE` if there is one: the first counts. */
export async function publishAnswer(connection: NatsConnection, question: HostQuestion, answer: SignedAnswer): Promise<void> {
  const seconds = Math.max(1, Math.ceil((question.expiresAt - Date.now()) / 1000));
  try {
    await jetstream(connection).publish(subjects.answer(question.host, questionKey(question)), encodeAnswer(answer), {
      expect: { lastSubjectSequence: 0 },
      ttl: `${seconds}s`,
    });
  } catch (error) {
    if (!(error instanceof JetStreamApiError && (error.code === WRONG_LAST_SEQUENCE || error.code === LIMIT_PER_SUBJECT))) throw error;
    throw new HookError("HL_APPROVAL_GONE", `The question "${question.id}" of ${question.host} has an answer already: the first counts.`, {
      fix: { run: "hookline approvals --fleet" },
    });
  }
}
