import { z } from "zod";
import { readSecrets } from "../auth/authenticate.js";
import { wholeNumber } from "../http/read-input.js";
import { badRequest } from "../http/refused.js";
import { follow } from "../live/follow.js";
import type { SseClient } from "../live/sse-client.js";
import { byeFrame } from "../live/sse-frames.js";
import type { DashboardLogins } from "../parts.js";
import { filterQuery, readFilter } from "./filter-query.js";
import { route } from "./route.js";
import { contract, count, envelope } from "./schemas.js";

export const stream = route({
  method: "GET",
  path: "/api/stream",
  scope: "read",
  access: "read",
  summary: "Sends events as they are stored, as server-sent events",
  query: z.strictObject({
    ...filterQuery,
    after: wholeNumber(0).exactOptional().describe("Resumes after this place. The header `Last-Event-ID` takes precedence."),
  }),
  answer: {
    description: "`hello`, then a `hook` for each event, with its place as its id.",
    mediaType: "text/event-stream",
    events: {
      hello: z
        .object({ instance: z.string(), place: count.describe("The place of the last stored event.") })
        .describe("A stream begins with it.")
        .register(contract, { id: "StreamHello" }),
      hook: envelope,
      approval: z
        .object({ approvals: count.describe("How many calls wait for a person.") })
        .describe("Sent at the start, and when a call begins or ends to wait for a person.")
        .register(contract, { id: "StreamApproval" }),
      current: z
        .object({ place: count.describe("Every matching event up to this place has been sent.") })
        .describe("Sent once, when the client has everything that it missed.")
        .register(contract, { id: "StreamCurrent" }),
      bye: z
        .object({ reason: z.enum(["stopping", "replaced", "failed", "signed_out", "token_rotated"]) })
        .describe("A stream ends with it. `replaced`: another hub takes this one's place.")
        .register(contract, { id: "StreamBye" }),
    },
  },
  handle({ parts, server, incoming, outgoing, query, holder: { person } }) {
    const filter = readFilter(query);
    const after = readLastId(incoming.headers["last-event-id"]) ?? query.after;
    const client = server.streams.open(outgoing);
    if (incoming.headers.authorization === undefined) endWithLogin(client, incoming.headers.cookie, parts.logins);
    if (person !== undefined) client.onClose(parts.people.onGone(person.name, () => client.end(byeFrame({ reason: "signed_out" }))));
    if (incoming.method === "HEAD") outgoing.end();
    else void follow({ ...parts, live: server.live, replays: server.streams.replays }, { client, filter, after });
    return "sent";
  },
});

/** A stream that was opened with a cookie ends with the login. */
function endWithLogin(client: SseClient, cookie: string | undefined, logins: DashboardLogins): void {
  for (const secret of readSecrets(cookie)) client.onClose(logins.onEnd(secret, () => client.end(byeFrame({ reason: "signed_out" }))));
}

function readLastId(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  if (typeof header === "string" && /^\d{1,15}$/.test(header)) return Number(header);
  throw badRequest("The header Last-Event-ID must be the id of an event of this stream, a whole number.");
}
