import { createHash } from "node:crypto";
import { HookError, type HookEvent } from "@hookline/core";
import { secretsInText } from "@hookline/core/internal";
import { textsIn } from "../command/condition.js";
import type { Rule } from "../rule.js";
import type { RuleState } from "./rule-state.js";

/** A result with more secrets is withheld: what is not remembered could be sent on. */
const MAX_SECRETS = 256;

/** Where a rule keeps what it has seen. */
interface Place {
  readonly state: RuleState;
  readonly id: string;
  readonly session: string;
}

type Shapes = Pick<Rule, "secret">;

/** Notes the secrets of a result, by their hashes, with the server that has shown them. */
export function noteSecrets(rule: Shapes, { payload, value, id }: HookEvent, place: Place): void {
  const server = serverOf(payload);
  if (server === undefined) return;
  const found = digestsIn(value, rule);
  if (found.size > MAX_SECRETS)
    throw new HookError("HL_RULE_STATE", `The result holds more than ${MAX_SECRETS} secrets, which is more than a rule remembers.`, {
      fix: "Ask for a smaller part of it.",
    });
  for (const secret of found) place.state.match(`${seriesOf(secret, place)}\n${server}`, [id], 1);
}

/** The server that has shown a secret which the call would give to another one. */
export function secretFrom(rule: Shapes, { payload }: HookEvent, place: Place): string | undefined {
  const server = serverOf(payload);
  if (server === undefined) return undefined;
  for (const secret of digestsIn((payload as { readonly tool?: { readonly input?: unknown } }).tool?.input, rule)) {
    const shown = place.state.seriesOf(seriesOf(secret, place)).map((series) => series.split("\n").at(-1));
    // What the server has shown itself it knows already.
    if (shown.length > 0 && !shown.includes(server)) return shown[0];
  }
  return undefined;
}

function seriesOf(secret: string, { id, session }: Place): string {
  return `${id}\nsecret\n${session}\n${secret}`;
}

function digestsIn(value: unknown, { secret: shapes = [] }: Shapes): ReadonlySet<string> {
  const found = new Set<string>();
  for (const text of textsIn(value))
    for (const { name, secret } of secretsInText(text))
      if (shapes.includes(name)) found.add(createHash("sha256").update(secret).digest("base64url").slice(0, 22));
  return found;
}

/** A server is known by its name, or as a part of the tool's. */
function serverOf(payload: unknown): string | undefined {
  const { server, name } = ((payload as { readonly tool?: unknown }).tool ?? {}) as { readonly server?: unknown; readonly name?: unknown };
  if (typeof server === "string" && server !== "") return oneLine(server);
  return typeof name === "string" ? /^mcp__(.+?)__/.exec(name)?.[1] : undefined;
}

function oneLine(server: string): string {
  return server.replaceAll("\n", " ");
}
