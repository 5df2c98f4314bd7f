import { readSecrets } from "../auth/authenticate.js";
import { badRequest } from "../http/refused.js";
import { follow } from "../live/follow.js";
import type { SseClient } from "../live/sse-client.js";
import { byeFrame } from "../live/sse-frames.js";
import type { DashboardLogins } from "../parts.js";
import { filterQuery, readFilter } from "./filter-query.js";
import { readCount } from "./read-query.js";
import type { Route } from "./route.js";

export const stream: Route = {
  method: "GET",
  path: "/api/stream",
  scope: "read",
  summary: "Events as they are stored, as server-sent events",
  query: {
    ...filterQuery,
    after: {
      description: "Resumes after this place. The header Last-Event-ID, if there is one, comes first.",
      schema: { type: "integer", minimum: 0 },
    },
  },
  response: {
    description:
      "`hello`, then a `hook` for each event, with its place as its id; `approval` when what waits for a person has changed; `bye` when the hub stops, or when whoever watches is signed out.",
    mediaType: "text/event-stream",
    schema: { type: "string" },
  },
  handle({ parts, desk, incoming, outgoing, query }) {
    const filter = readFilter(query);
    const after = readLastId(incoming.headers["last-event-id"]) ?? readCount(query, "after", { min: 0, max: Number.MAX_SAFE_INTEGER });
    const client = desk.streams.open(outgoing);
    if (incoming.headers.authorization === undefined) endWithLogin(client, incoming.headers.cookie, parts.logins);
    if (incoming.method === "HEAD") outgoing.end();
    else void follow({ ...parts, live: desk.live, replays: desk.streams.replays }, { client, filter, after });
    return "sent";
  },
};

/** Whoever was let in by a cookie sees nothing more once that is worth nothing. */
function endWithLogin(client: SseClient, cookie: string | undefined, logins: DashboardLogins): void {
  for (const secret of readSecrets(cookie)) client.onClose(logins.onEnd(secret, () => client.end(byeFrame({ reason: "signed_out" }))));
}

function readLastId(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  if (typeof header === "string" && /^\d{1,15}$/.test(header)) return Number(header);
  throw badRequest("The header Last-Event-ID must be the id of an event of this stream, a whole number.");
}
