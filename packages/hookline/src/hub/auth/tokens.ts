import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Scope, Tokens } from "../parts.js";

const AGENT_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["ingest", "decide"]);
const OPERATOR_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["read", "ingest", "decide", "approve"]);

/**
 * Two tokens that nobody can guess: one for forwarders, which `rotate` replaces, and one for the operator; and the one that attached agents
 * have, which may do what forwarders may.
 */
export function createTokens(attached: string = createToken()): Tokens {
  const attachedDigest = digestOf(attached);
  const operator = createToken();
  const operatorDigest = digestOf(operator);
  let agent = createToken();
  let agentDigest = digestOf(agent);

  function use(token: string): void {
    agent = token;
    agentDigest = digestOf(token);
  }

  return {
    get agent() {
      return agent;
    },
    operator,
    scopesOf(token) {
      const given = digestOf(token);
      // All are always compared, so that the time says nothing; digests, so that the length says nothing either.
      const isOperator = timingSafeEqual(given, operatorDigest);
      const isAgent = timingSafeEqual(given, agentDigest);
      const isAttached = timingSafeEqual(given, attachedDigest);
      if (isOperator) return OPERATOR_SCOPES;
      return isAgent || isAttached ? AGENT_SCOPES : undefined;
    },
    rotate() {
      const before = agent;
      use(createToken());
      return () => use(before);
    },
  };
}

function createToken(): string {
  return randomBytes(32).toString("base64url");
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
