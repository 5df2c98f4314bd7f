import { HookError } from "@hookline/core/internal/machine";
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetAnswerGiven, FleetApprovals } from "hookline/internal/fleet";
import type { Credential } from "../credentials/credential.js";
import type { Roster } from "../credentials/roster.js";
import { recordAudit } from "../nats/audit.js";
import { buckets, subjects } from "../nats/subjects.js";
import { type AnswerStatement, checkAnswer, encodeAnswer, readStatement, type SignedAnswer, vouchAnswer } from "../questions/answer.js";
import { publishAnswer } from "../questions/open-questions.js";
import type { HostQuestion } from "../questions/question.js";

export interface AnswerDesk {
  readonly connection: NatsConnection;
  /** The name of the fleet hub. */
  readonly hub: string;
  readonly roster: Roster;
  readonly questions: readonly HostQuestion[];
  readonly approvals: Pick<FleetApprovals, "isPasskeyResponse" | "shownCallHash">;
  /** The hub's credential, with its signing key. */
  readonly credential: () => Credential | undefined;
}

/**
 * Gives a person's answer to its host. The host checks everything again; it is checked here because the server keeps the first answer, and one
 * that proves nothing would leave the question to the host's own approver.
 */
export async function giveAnswer({ by, statement: text, response }: FleetAnswerGiven, desk: AnswerDesk): Promise<void> {
  const statement = readStatement(text);
  if (statement === undefined || statement.by !== by) throw refused("it is not an answer of the person who is signed in");
  const question = questionOf(statement, desk.questions);
  checkAlways(statement, question, desk);
  const signed: SignedAnswer =
    response === undefined ? vouched(statement, desk) : { statement: text, proof: { kind: "passkey", response } };
  const { roster, approvals, connection, hub } = desk;
  const checked = await checkAnswer(signed, { roster, passkey: approvals.isPasskeyResponse, now: Date.now() });
  if ("refused" in checked) throw refused(checked.refused);
  await publishAnswer(connection, question, signed);
  const { host, hash, verdict, reason, always } = statement;
  if (always !== undefined) await jetstream(connection).publish(subjects.key(buckets.always, always), encodeAnswer(signed));
  await recordAudit(
    connection,
    { kind: "hub", name: hub },
    {
      action: verdict === "allow" ? "call-allowed" : "call-denied",
      subject: question.id,
      details: {
        person: by,
        proof: checked.factor,
        host,
        hash,
        ...(reason !== undefined && { reason }),
        ...(always !== undefined && { always }),
      },
    },
  );
}

/** The question that waits, if the answer is to exactly this. */
function questionOf({ host, question: id, hash, shown, verdict }: AnswerStatement, questions: readonly HostQuestion[]): HostQuestion {
  const found = questions.find((one) => one.host === host && one.id === id);
  if (found === undefined)
    throw new HookError("HL_APPROVAL_GONE", `The question of ${host} waits no longer: it was answered, or its time is over.`);
  if (found.hash !== hash || found.shown !== shown)
    throw new HookError("HL_APPROVAL_CHANGED", `The question of ${host} is another one by now. Look at it again.`);
  if (found.isCut === true && verdict === "allow")
    throw new HookError("HL_BAD_REQUEST", "This call is too large to be shown here. It can only be denied, or approved on its host.");
  return found;
}

/** The host chose the hash. It must be that of what the person sees, and of nothing else. */
function checkAlways({ always, verdict }: AnswerStatement, question: HostQuestion, { approvals }: Pick<AnswerDesk, "approvals">): void {
  if (always === undefined) return;
  if (verdict === "allow" && question.call === always && approvals.shownCallHash(question) === always) return;
  throw new HookError(
    "HL_BAD_REQUEST",
    "This call cannot be allowed for good: it is not a tool call, or what is shown of it is not all of it, such as a hidden secret.",
    { fix: "Allow it once." },
  );
}

function vouched(statement: AnswerStatement, { hub, credential }: AnswerDesk): SignedAnswer {
  const signingKey = credential()?.signingKey;
  if (signingKey === undefined) throw refused("this hub has no key to sign it with");
  return vouchAnswer(statement, { name: hub, signingKey });
}

function refused(reason: string): HookError {
  return new HookError("HL_NOT_CONFIRMED", `The answer does not count: ${reason}.`);
}
