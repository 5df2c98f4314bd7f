import type { HubClient } from "hookline/internal/mcp";
import { z } from "zod";
import type { Fields } from "../protocol/message.js";

/** A tool that answers from the hub. */
export interface HubTool {
  readonly description: string;
  readonly input: z.ZodObject;
  run(hub: HubClient, input: Fields): Promise<unknown>;
}

const SHOWN = 20;

/** What `hookline mcp serve` offers. These only read. */
export const readingTools: { readonly [name: string]: HubTool } = {
  search_events: {
    description: "Finds recorded events of agents, newest first: by words, event, session, tool, verdict and time.",
    input: z.object({
      text: z.string().optional().describe("Words that must all occur"),
      event: z.string().optional().describe("A name or a pattern such as tool:*"),
      session: z.string().optional(),
      tool: z.string().optional(),
      decision: z.enum(["pass", "allow", "ask", "deny"]).optional(),
      since: z.string().optional().describe("An age such as 15m, 2h or 7d, or an ISO time"),
      limit: z.number().int().min(1).max(100).optional().describe(`The largest number of events; ${SHOWN} if not given`),
    }),
    run: (hub, input) => hub.get("/api/events", queryOf({ limit: SHOWN, ...input })),
  },
  explain_decision: {
    description: "Shows one event and how it was decided: each guard, rule and person with its verdict and reason.",
    input: z.object({ id: z.string().describe("The event's id") }),
    run: (hub, { id }) => hub.get(`/api/events/${encodeURIComponent(String(id))}`),
  },
  list_approvals: {
    description: "Lists the calls that wait for a person.",
    input: z.object({}),
    run: (hub) => hub.get("/api/approvals"),
  },
  usage: {
    description: "Counts recent events, denials and questions over time, by tool, guard and agent.",
    input: z.object({ minutes: z.number().int().min(1).max(43_200).optional().describe("How far to look back; 60 if not given") }),
    run: (hub, input) => hub.get("/api/overview", queryOf(input)),
  },
};

/** What it offers with `--allow-approvals`. The hub refuses it to processes that an attached agent has started. */
export const approvingTools: { readonly [name: string]: HubTool } = {
  answer_approval: {
    description: "Lets a waiting call run, or denies it.",
    input: z.object({
      id: z.string(),
      hash: z.string().describe("The hash of the call, as list_approvals shows it"),
      verdict: z.enum(["allow", "deny"]),
      reason: z.string().optional(),
    }),
    run: (hub, { id, ...answer }) =>
      hub.post(`/api/approvals/${encodeURIComponent(String(id))}`, JSON.stringify({ ...answer, by: "mcp serve" })),
  },
};

function queryOf(input: Fields): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input)) if (value !== undefined) query.set(key, String(value));
  return query;
}
