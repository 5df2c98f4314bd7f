import { hashOf } from "../hub/approvals/hash-of.js";
import { CliError } from "./cli-error.js";
import type { Approval } from "./format/approval-lines.js";
import type { HubClient } from "./hub-client.js";
import { userName } from "./user-name.js";

export interface Answer {
  readonly verdict: "allow" | "deny";
  readonly reason?: string | undefined;
}

/** Answers a call that was shown to a person. */
export async function answerApproval(hub: HubClient, { id, event, payload, hash }: Approval, { verdict, reason }: Answer): Promise<void> {
  // The answer is for the hash. A program in the hub's place must not show one call and have another one approved.
  if (hashOf(event, payload) !== hash)
    throw new CliError("The hash of this call is not the hash of what is shown. Nothing was answered.", {
      fix: { run: "hookline doctor" },
    });
  const answer = { verdict, hash, by: userName(), ...(reason !== undefined && { reason }) };
  await hub.post(`/api/approvals/${encodeURIComponent(id)}`, JSON.stringify(answer));
}

export const ANSWERED = { allow: "approved", deny: "denied" } as const;
