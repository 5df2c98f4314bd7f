import type { HookError, TapCall } from "@hookline/core";
import { errorText } from "@hookline/core";
import { compileMatch } from "@hookline/core/internal";
import type { SelftestResult } from "../protocol.js";
import type { Canary } from "./canary.js";
import type { Guard } from "./guard.js";
import type { Said, TriedGuard } from "./tried-guard.js";

type Judgement = Pick<SelftestResult, "state" | "reason" | "failure">;

/** What it means, what a guard did. That another one denied, or would have, is not looked at. */
export function judge({ guard, refusal }: TriedGuard, canary: Canary, { call, rewrittenBy }: Said): Judgement {
  const changed = rewrittenBy.length === 0 ? "" : ` Before that, it was rewritten by ${rewrittenBy.join(" and ")}.`;
  if (call === undefined) return { state: "not asked", reason: `${refusal ?? whyNotAsked(guard, canary)}${changed}` };
  if (call.failure !== undefined) return failed(call.failure, guard.isClosed || call.action === "deny");
  switch (call.action) {
    case "deny":
      return { state: "denied", ...because(call) };
    case "ask":
      return { state: "asked", ...because(call) };
    case "cancelled":
      return { state: "failed closed", failure: "timeout", reason: `It had not answered after ${Math.round(call.durationMs)} ms.` };
    default:
      return { state: "let through", reason: `${call.action === "pass" ? "It had no opinion." : `It said "${call.action}".`}${changed}` };
  }
}

function because({ reason }: TapCall): Pick<Judgement, "reason"> {
  return reason === undefined ? {} : { reason };
}

/** The failure of a closed guard denies: nothing came through, and nothing was guarded either. */
function failed(error: HookError, isDenied: boolean): Judgement {
  const reason = errorText(error.cause instanceof Error ? error.cause : error);
  return { state: isDenied ? "failed closed" : "let through", failure: error.failure ?? error.code, reason };
}

function whyNotAsked({ tool, project }: Guard, { payload }: Canary): string {
  const isTool = compileMatch({ tool })?.(payload) ?? true;
  if (!isTool) return 'Its "tool" does not take it.';
  const { cwd } = payload as { readonly cwd?: unknown };
  if (project !== undefined && cwd !== project) return `Its project does not take it: its "cwd" is ${JSON.stringify(cwd)}.`;
  return 'Its "match" does not take it.';
}
