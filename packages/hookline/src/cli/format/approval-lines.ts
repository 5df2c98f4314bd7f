import { hostname } from "node:os";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { ApprovalsAnswer } from "../../hub/protocol.js";
import { durationText } from "./amounts.js";
import { timeText } from "./times.js";

export type Approval = ApprovalsAnswer["approvals"][number];

/** What is shown of a call that waits, here or on a host of a fleet. */
interface ShownApproval extends Pick<Approval, "id" | "event" | "by" | "reason" | "askedAt" | "expiresAt" | "payload" | "asked" | "cwd"> {
  readonly session?: { readonly id: string };
  readonly source?: { readonly app: string; readonly host: string };
  readonly asks?: readonly { readonly by: string; readonly reason?: string }[];
}

/** A waiting call as it would run, line by line. */
export function approvalLines(approval: ShownApproval, now = Date.now()): string[] {
  const { id, event, session, source, by, reason, asks = [{ by, reason }], askedAt, expiresAt, payload, asked, cwd } = approval;
  const rows: (readonly [string, string | undefined])[] = [
    ["waits", `${inertText(id)}, for another ${durationText(Math.max(0, expiresAt - now))}`],
    ["asked", timeText(askedAt, { now, isShort: true })],
    ["event", inertText(event)],
    [
      "agent",
      source === undefined ? undefined : inertText(`${source.app}${[hostname(), ""].includes(source.host) ? "" : ` on ${source.host}`}`),
    ],
    ["session", session === undefined ? undefined : inertText(session.id)],
    ...asks.map((ask) => ["asks", inertText(`${ask.by}${ask.reason === undefined ? "" : `: ${ask.reason}`}`)] as const),
    ["folder", cwd === undefined ? folderOf(payload) : inertText(cwd)],
    ["runs", shown(payload)],
    ["before", asked === undefined ? undefined : `${shown(asked)} (a guard rewrote it)`],
  ];
  return rows.flatMap(([label, text]) => (text === undefined ? [] : [`${label.padEnd(8)} ${text}`]));
}

function folderOf(payload: unknown): string | undefined {
  const { cwd } = Object(payload) as { readonly cwd?: unknown };
  return typeof cwd === "string" ? inertText(cwd) : undefined;
}

/** A tool and its input; the whole payload for other events. */
function shown(payload: unknown): string {
  const {
    tool,
    raw: _raw,
    ...rest
  } = Object(payload) as { readonly tool?: { readonly name?: unknown; readonly input?: unknown }; readonly raw?: unknown };
  if (tool === undefined) return inertJson(JSON.stringify(rest));
  return `${inertText(String(tool.name))} ${inertJson(JSON.stringify(tool.input))}`;
}
