import { randomBytes } from "node:crypto";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { z } from "zod";
import { Refused } from "../http/refused.js";
import { createChallenges } from "../protect/challenges.js";
import type { PendingApproval } from "../protocol.js";

/**
 * Links in notifications. Each opens the dashboard on one question, once, while the question waits. A link neither answers nor signs in: the
 * browser must be signed in at the public origin, and the answer needs a passkey.
 */
export interface AnswerLinks {
  /** Nothing without a public origin. */
  linkTo(row: Pick<PendingApproval, "id" | "expiresAt">): string | undefined;
  /** The id of the question that this link is for. The link is used from then on. Throws 410 for a link that does not work any more. */
  open(token: string): string;
}

interface AnswerLinksOptions {
  readonly state: string;
  readonly origin: string | undefined;
  readonly onProblem: (text: string) => void;
  readonly now?: () => number;
}

const FILE = "answer-links.json";
const kept = z.strictObject({ key: z.base64url(), used: z.array(z.tuple([z.string(), z.number()])) });
const TOKEN = /^([\w-]{1,200})\.([\w-]{1,200})$/;

export function openAnswerLinks({ state, origin, onProblem, now = Date.now }: AnswerLinksOptions): AnswerLinks {
  // Messages outlive the hub, so their links work after a restart.
  const before = kept.safeParse(readPrivateJson(state, FILE)).data;
  const key = before === undefined ? randomBytes(32) : Buffer.from(before.key, "base64url");
  const used = new Map(before?.used);
  const challenges = createChallenges(now, { key, used });
  const boundTo = (id: string): string => `hookline answer 1\n${origin}\n${id}`;
  let isSaved = before !== undefined;

  function save(): void {
    try {
      writePrivateJson(state, FILE, { key: key.toString("base64url"), used: [...used] });
      isSaved = true;
    } catch (error) {
      onProblem(`Links in notifications could not be recorded, so they end with the hub: ${(error as Error).message}`);
    }
  }

  return {
    linkTo({ id, expiresAt }) {
      if (origin === undefined) return undefined;
      if (!isSaved) save();
      return `${origin}/#to.${id}.${challenges.issue(boundTo(id), Math.max(0, expiresAt - now()))}`;
    },
    open(token) {
      const [, id = "", challenge = ""] = TOKEN.exec(token) ?? [];
      const state = challenges.check(challenge, boundTo(id));
      if (state !== "good") throw new Refused(410, "HL_NOT_FOUND", WHY[state], { fix: "Look at the list of calls that wait." });
      challenges.use(challenge);
      save();
      return id;
    },
  };
}

const WHY = {
  expired: "The time to answer this call is over.",
  used: "This link was used before. A link works once.",
  foreign: "This link is damaged, or was made by another hub.",
} as const;
