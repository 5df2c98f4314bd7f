import { json } from "../http/answer.js";
import type { TranscriptHeadsAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { boolean, count, list, object, string } from "./schemas.js";

export const transcripts: Route = {
  method: "GET",
  path: "/api/transcripts/:id",
  scope: "read",
  summary: "The heads that the hub has heard of a transcript",
  response: {
    description: "Oldest first; none for a transcript that the hub has never heard of. The id is the hash of the transcript's first entry.",
    schema: object({
      id: string,
      heads: list(object({ n: count, hash: string, isClosed: boolean, "path?": string, at: count, place: count })),
    }),
  },
  async handle({ parts, param }) {
    const id = param("id");
    return json({ id, heads: await parts.store.transcriptHeads(id) } satisfies TranscriptHeadsAnswer);
  },
};
