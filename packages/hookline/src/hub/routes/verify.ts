import { HookError } from "@hookline/core";
import { json } from "../http/answer.js";
import { badRequest, refusedWith } from "../http/refused.js";
import type { KeptHead } from "../protocol.js";
import { verifyInThread } from "../store/verify-in-thread.js";
import { within } from "./deadline.js";
import type { Route } from "./route.js";
import { boolean, chainHead, count, list, object, string } from "./schemas.js";

const LIMIT_MS = 600_000;
const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;

export const verify: Route = {
  method: "GET",
  path: "/api/verify",
  scope: "read",
  summary: "Whether the stored decisions are as they were written",
  query: {
    head: {
      description: "A head that was noted earlier, `<number>:<hash>`: the chain must still hold it.",
      schema: string,
      isRepeatable: true,
    },
  },
  response: {
    description: "How many decisions hold, since when, the head of their chain, and what does not hold.",
    schema: object({
      ok: boolean,
      store: string,
      decisions: count,
      removed: count,
      uncovered: count,
      "since?": string,
      head: chainHead,
      faults: count,
      problems: list(object({ kind: string, message: string, "place?": count, "n?": count, "id?": string, "at?": string })),
    }),
  },
  async handle({ parts, query, outgoing }) {
    const noted = (query.get("head") ?? []).map(readHead);
    const { path, kept } = parts.decisionHead;
    const known = await kept();
    try {
      return json(await within(LIMIT_MS, outgoing, (signal) => verifyInThread(path, [...known, ...noted], signal)));
    } catch (error) {
      throw error instanceof HookError ? refusedWith(503, error) : error;
    }
  },
};

function readHead(text: string): KeptHead {
  const [, n, hash] = HEAD.exec(text) ?? [];
  if (n === undefined || hash === undefined) throw badRequest(`The parameter "head" must be a number, a colon and 64 hexadecimal digits.`);
  return { n: Number(n), hash, from: "The head that was noted" };
}
