import { HookError } from "@hookline/core";
import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import { within } from "./deadline.js";
import type { Route } from "./route.js";
import { boolean, guardPause, list, object, selftestGuard, string } from "./schemas.js";

const LIMIT_MS = 600_000;

export const selftest: Route = {
  method: "POST",
  path: "/api/selftest",
  scope: "approve",
  summary: "Sends every guard something that it must deny",
  body: { [JSON_MEDIA]: { type: "object" } },
  response: {
    description: "What each guard did with its canaries. Nothing of it is stored.",
    schema: object({ ok: boolean, agents: list(string), guards: list(selftestGuard), "paused?": guardPause }),
  },
  async handle({ parts, outgoing }) {
    try {
      return json(await within(LIMIT_MS, outgoing, (signal) => parts.selftest(signal)));
    } catch (error) {
      // Too late, or for nobody: no fault of the hub's.
      throw error instanceof HookError ? new Refused(503, error.code, error.message) : error;
    }
  },
};
