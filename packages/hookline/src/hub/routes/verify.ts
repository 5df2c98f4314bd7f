import { HookError } from "@hookline/core";
import { z } from "zod";
import { json } from "../http/answer.js";
import { refusedWith } from "../http/refused.js";
import type { KeptHead, TranscriptHeadsAnswer, VerifyAnswer } from "../protocol.js";
import { verifyInThread } from "../store/verify-in-thread.js";
import { within } from "./deadline.js";
import { route } from "./route.js";
import { chainHead, contract, count } from "./schemas.js";

const LIMIT_MS = 600_000;
const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;

const chainProblem = z
  .object({
    kind: z.enum(["edited", "removed", "inserted", "reordered", "cut off", "replaced", "lost"]),
    message: z.string(),
    place: count.optional().describe("Where it is known, like the next three: the store knows only the place of an event that is gone."),
    n: count.optional(),
    id: z.string().optional(),
    at: z.string().optional(),
    headFile: z.string().optional().describe("The file that keeps the head which the store does not hold."),
  })
  .register(contract, { id: "ChainProblem" });

/** A head that was written down outside the store. */
export const keptHead = z
  .object({
    chain: z.string().exactOptional(),
    n: count,
    hash: z.string(),
    from: z.string().describe("Where it was written down."),
    file: z.string().optional().describe("The file that keeps it."),
    at: z.string().optional(),
  })
  .describe("A head of the chain that was written down outside the store.")
  .register(contract, { id: "KeptHead" });

export const verify = route({
  method: "GET",
  path: "/api/verify",
  scope: "read",
  access: "read",
  summary: "Checks that the stored decisions are as they were written",
  query: z.strictObject({
    head: z
      .array(z.string().regex(HEAD, { error: "must be a number, a colon and 64 hexadecimal digits." }))
      .default([])
      .describe("A head that you noted earlier, `<number>:<hash>`. The chain must still contain it."),
  }),
  answer: {
    description: "The result of the check.",
    body: z
      .object({
        ok: z.boolean(),
        store: z.string().describe("The file."),
        decisions: count.describe("How many decisions were checked."),
        removed: count.describe("How many decisions retention removed."),
        erased: z
          .array(
            z
              .object({ session: z.string(), by: z.string(), at: z.string().describe("ISO 8601."), decisions: count })
              .register(contract, { id: "ErasedSession" }),
          )
          .describe("The sessions that a person deleted for good, as far as the chain reaches."),
        uncovered: count.describe("How many decisions were stored before the chain began."),
        since: z.string().optional().describe("The start of the chain, or of its rest."),
        head: chainHead,
        faults: count.describe("How many problems there are."),
        problems: z.array(chainProblem).describe("At most the first 100."),
      })
      .register(contract, { id: "VerifyAnswer" }),
  },
  async handle({ parts, query, outgoing }) {
    const noted = query.head.map(readHead);
    const { path, kept } = parts.decisionHead;
    const known = await kept();
    try {
      const checked = await within(LIMIT_MS, outgoing, (signal) => verifyInThread(path, [...known, ...noted], signal));
      return json(checked satisfies VerifyAnswer);
    } catch (error) {
      throw error instanceof HookError ? refusedWith(503, error) : error;
    }
  },
});

function readHead(text: string): KeptHead {
  const [, n = "", hash = ""] = HEAD.exec(text) ?? [];
  return { n: Number(n), hash, from: "The head that was noted" };
}

const transcriptHeadRow = z
  .object({
    n: count,
    hash: z.string(),
    isClosed: z.boolean(),
    path: z.string().optional(),
    at: count.describe("Milliseconds since 1970."),
    place: count,
  })
  .register(contract, { id: "TranscriptHeadRow" });

export const transcripts = route({
  method: "GET",
  path: "/api/transcripts/:id",
  scope: "read",
  access: "read",
  summary: "Lists the heads of a transcript that the hub has received",
  params: z.object({ id: z.string().describe("The hash of the transcript's first entry.") }),
  answer: {
    description: "The heads, the oldest first; an empty list for an unknown transcript.",
    body: z.object({ id: z.string(), heads: z.array(transcriptHeadRow) }).register(contract, { id: "TranscriptHeadsAnswer" }),
  },
  async handle({ parts, params: { id } }) {
    return json({ id, heads: await parts.store.transcriptHeads(id) } satisfies TranscriptHeadsAnswer);
  },
});
