import type { Alarms } from "../alarms/alarms.js";
import { callIn } from "../approvals/always-allow.js";
import { withoutSecrets } from "../approvals/approval-row.js";
import type { Approvals } from "../approvals/approvals.js";
import type { EventPreparer } from "../ingest/event-preparer.js";
import type { Mode } from "../mode.js";
import { type AssertionResponse, verifyPasskey } from "../protect/passkeys.js";
import type { FleetApprovals } from "./fleet-port.js";

export interface FleetApprovalsParts {
  readonly approvals: Approvals;
  readonly preparer: EventPreparer;
  readonly raise: Alarms["raise"];
  readonly mode: () => Mode;
}

/** The questions of this host for its fleet. */
export function fleetApprovals({ approvals, preparer, raise, mode }: FleetApprovalsParts): FleetApprovals {
  return {
    list: () => approvals.list(),
    onChange: (listener) => approvals.onChange(listener),
    shown: (row) => withoutSecrets(row, preparer),
    callHash: (row) => callIn(row)?.hash,
    shownCallHash,
    answer: (id, answer) => approvals.answer(id, answer),
    // A key in a file is as good as every program of its user. On a managed machine, too, the agents of that user have it.
    needsFactor: () => mode() !== "plain",
    refused: (text, { session }) =>
      raise({ kind: "refused", text, payload: { action: "fleet-answer", ...(session !== undefined && { session }) } }),
    isPasskeyResponse: async (response, { id, publicKey, rpId }, challenge) => {
      const origin = originIn(response, rpId);
      if (origin === undefined) return false;
      const passkey = { id, publicKey, rpId, counter: 0, transports: [], name: "", addedAt: "" };
      return (await verifyPasskey(response as unknown as AssertionResponse, [passkey], { origin, challenge })) !== undefined;
    },
  };
}

/** What "always" would pin of a question, from what is shown of it. */
export function shownCallHash({
  app,
  ...asked
}: Omit<Parameters<typeof callIn>[0], "source"> & { readonly app?: string | undefined }): string | undefined {
  return callIn({ ...asked, ...(app !== undefined && { source: { app, host: "", pid: 0, instance: "" } }) })?.hash;
}

/** The page's origin as the browser signed it, if it is a page of that name over TLS: the fleet's dashboard may be behind any port. */
function originIn(response: { readonly [field: string]: unknown }, rpId: string): string | undefined {
  try {
    const { clientDataJSON } = Object(response.response) as { readonly clientDataJSON?: unknown };
    const { origin } = JSON.parse(Buffer.from(String(clientDataJSON), "base64url").toString("utf8")) as { readonly origin?: unknown };
    const { protocol, hostname } = new URL(String(origin));
    const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
    return hostname === rpId && (protocol === "https:" || isLocal) ? String(origin) : undefined;
  } catch {
    return undefined;
  }
}
