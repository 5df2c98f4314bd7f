import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createAttachKey, httpKeyOf } from "../../agents/client/attach-key.js";
import type { AttachKey } from "../../agents/client/key-file.js";
import type { Holder, Scope, Tokens } from "../parts.js";

const FORWARDER_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["ingest", "decide"]);
const OPERATOR_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["read", "ingest", "decide", "approve", "hook"]);
/** So many keys are remembered that were replaced. */
const MAX_REPLACED = 16;
const ATTACHED_SCOPES: ReadonlySet<Scope> = new Set<Scope>(["hook"]);

interface Known {
  readonly digest: Buffer;
  readonly holder: Holder;
}

/** Random tokens: one for forwarders, one for the operator, and those of attached agents. `posting`: agents that post by themselves. */
export function createTokens(key: AttachKey = createAttachKey(), posting: readonly string[] = []): Tokens {
  let [agent, operator, attached] = [createToken(), createToken(), key];
  let known: readonly Known[] = [];
  let replaced: readonly Known[] = [];

  function use(next: { readonly agent: string; readonly operator: string; readonly attached: AttachKey }): void {
    ({ agent, operator, attached } = next);
    known = [
      { digest: digestOf(operator), holder: { kind: "operator", scopes: OPERATOR_SCOPES, seal: attached.seal } },
      { digest: digestOf(agent), holder: { kind: "process", scopes: FORWARDER_SCOPES } },
      ...holdersOf(attached),
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
    rotate(next, which) {
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
