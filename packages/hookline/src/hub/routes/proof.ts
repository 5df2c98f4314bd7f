import { prove } from "@hookline/core/internal/machine";
import { json } from "../http/answer.js";
import { badRequest } from "../http/refused.js";
import type { ProofAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { object, string } from "./schemas.js";

const NONCE = /^[\w-]{16,128}$/;

export const proof: Route = {
  method: "GET",
  path: "/api/hooks/proof",
  scope: "public",
  summary: "Proves that this is the hub of hub.json, before a client sends it a token",
  query: {
    nonce: {
      description: "16 to 128 letters, digits, _ or -, new each time.",
      schema: { type: "string", pattern: NONCE.source },
      isRequired: true,
    },
  },
  response: {
    description: "The proof, an HMAC with the token of hub.json as its key.",
    schema: object({ instance: string, proof: string }),
  },
  handle({ parts: { instance, tokens }, query }) {
    const nonce = query.get("nonce")?.[0] ?? "";
    if (!NONCE.test(nonce)) throw badRequest('The parameter "nonce" must be 16 to 128 letters, digits, _ or -.');
    return json({ instance, proof: prove(tokens.agent, "hub", instance, nonce) } satisfies ProofAnswer);
  },
};
