import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createAttachKey, httpKeyOf } from "../../agents/client/attach-key.js";
import type { AttachKey } from "../../agents/client/key-file.js";
import type { Holder, Scope, Tokens } from "../parts.js";
import { type KeptDigest, keepInMemory } from "./metrics-token.js";

const FORWARDER_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["ingest", "decide"]);
const OPERATOR_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["read", "ingest", "decide", "approve", "hook"]);
/** So many keys are remembered that were replaced. */
const MAX_REPLACED = 16;
const METRICS_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["metrics"]);
const ATTACHED_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["hook"]);

interface Known {
  readonly digest: Buffer;
  readonly holder: Holder;
}

interface TokenOptions {
  readonly metrics?: KeptDigest;
  readonly kept?: Pick<Tokens, "agent" | "operator"> | undefined;
}

/**
 * Random tokens: one for forwarders, one for the operator, those of attached agents, and one for `/metrics` once it was asked for.
 * `posting`: agents that post by themselves. `kept`: the tokens of the hub before.
 */
export function createTokens(
  key: AttachKey = createAttachKey(),
  posting: readonly string[] = [],
  { metrics = keepInMemory(), kept }: TokenOptions = {},
): Tokens {
  let [agent, operator, attached] = [kept?.agent ?? createToken(), kept?.operator ?? createToken(), key];
  let known: readonly Known[] = [];
  let replaced: readonly Known[] = [];

  function use(next: { readonly agent: string; readonly operator: string; readonly attached: AttachKey }): void {
    ({ agent, operator, attached } = next);
    known = [
      { digest: digestOf(operator), holder: { kind: "operator", scopes: OPERATOR_SCOPES, seal: attached.seal } },
      { digest: digestOf(agent), holder: { kind: "process", scopes: FORWARDER_SCOPES } },
      ...holdersOf(attached),
      ...scrapers(),
      ...replaced,
    ];
  }

  function holdersOf(key: AttachKey): readonly Known[] {
    return [
      { digest: digestOf(key.token), holder: { kind: "agent", scopes: ATTACHED_SCOPES, seal: key.seal } },
      ...posting.map((id) => ({
        digest: digestOf(httpKeyOf(key, id)),
        holder: { kind: "agent" as const, scopes: ATTACHED_SCOPES, agent: id },
      })),
    ];
  }

  function scrapers(): readonly Known[] {
    const digest = metrics.read();
    return digest === undefined ? [] : [{ digest, holder: { kind: "scraper", scopes: METRICS_SCOPES } }];
  }

  use({ agent, operator, attached });

  return {
    get agent() {
      return agent;
    },
    get operator() {
      return operator;
    },
    holderOf(token) {
      const given = digestOf(token);
      // All tokens are always compared, as digests, so neither the time nor the length reveals anything.
      const [found] = known.map(({ digest, holder }) => (timingSafeEqual(given, digest) ? holder : undefined)).filter(Boolean);
      return found;
    },
    createMetrics() {
      const token = createToken();
      metrics.write(digestOf(token));
      use({ agent, operator, attached });
      return token;
    },
    rotate(next, which) {
      // First, and for good: if the rest fails, the token for metrics is void rather than valid.
      if (which === "all") metrics.write(undefined);
      const before = { agent, operator, attached };
      const rememberedBefore = replaced;
      const former = holdersOf(attached).map(({ digest, holder }) => ({ digest, holder: { ...holder, isReplaced: true } as const }));
      replaced = [...former, ...replaced].slice(0, MAX_REPLACED);
      const fresh = which === "all" ? { agent: createToken(), operator: createToken() } : { agent, operator };
      use({ ...fresh, attached: next });
      return () => {
        replaced = rememberedBefore;
        use(before);
      };
    },
  };
}

/** By its first letters, redaction knows a token of Hookline in any text. */
function createToken(): string {
  return `hlk_${randomBytes(32).toString("base64url")}`;
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
