import type { FleetQuestion, MePerson } from "../../api/answers.js";
import { ApiError } from "../../api/api-error.js";
import { hub } from "../../api/calls.js";
import { digestOf, signWithPasskey } from "../../api/confirm.js";

/** The statement is hashed for this purpose and no other; the host does the same. */
const PURPOSE = "hookline-fleet-answer-v1";
const WAIT_MS = 120_000;

export interface FleetDraft {
  readonly verdict: "allow" | "deny";
  readonly reason?: string;
  readonly always?: boolean;
}

interface Answering {
  readonly fleet: string;
  readonly person: MePerson;
}

/** Signs the answer to exactly this question, as it is shown here, and gives it. Rejects with what to tell the person. */
export async function giveFleetAnswer(question: FleetQuestion, draft: FleetDraft, { fleet, person }: Answering): Promise<void> {
  const { host, id, hash, shown, expiresAt, call } = question;
  const statement = JSON.stringify({
    format: 1,
    fleet,
    host,
    question: id,
    hash,
    shown,
    verdict: draft.verdict,
    by: person.name,
    until: Math.floor(expiresAt),
    ...(draft.reason !== undefined && { reason: draft.reason }),
    ...(draft.always === true && { always: call }),
  });
  if (person.answers !== "passkey") return void (await hub.answerFleet({ statement }));
  const challenge = await digestOf(`${PURPOSE}\0${statement}`);
  const response = await signWithPasskey({ challenge, rpId: window.location.hostname, forMs: WAIT_MS });
  await hub.answerFleet({ statement, response });
}

export function problemOf(thrown: unknown): string {
  if (thrown instanceof ApiError && thrown.code === "HL_APPROVAL_GONE")
    return "Too late: the call has another answer, or waits no longer. The first answer counts.";
  return thrown instanceof Error ? thrown.message : "The answer was not given.";
}
