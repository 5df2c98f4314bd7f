import type { Stage, StoredEvent } from "./stage.ts";

/** One thing that is tried with each agent, attached with and without `--strict`. */
export interface Scenario {
  readonly name: string;
  /** For the table. */
  readonly title: string;
  /** Where it is about some of them only. */
  readonly agents?: readonly string[];
  /** Throws when something is not as it must be. Says `cannot` when all is safe but the agent has no way to do it. */
  run(stage: Stage): Promise<"cannot" | undefined>;
}

/** Throws, and says what, when something does not hold. */
export function claim(what: string, holds: boolean): asserts holds {
  if (!holds) throw new Error(`Not so: ${what}`);
}

/** A rule about commands with this word in them. */
export function rule(word: string, lines: string): string {
  return `[[rule]]\nname = "about-${word}"\nmatch = "tool.input.command contains '${word}'"\n${lines}\n`;
}

/** The one event that the hub has of the call with this word in it, told by the right agent in a session. */
export async function callOf(stage: Stage, word: string): Promise<StoredEvent> {
  const { id } = stage.driver;
  const calls = (await stage.events({ event: "tool:before" })).filter(({ payload }) => JSON.stringify(payload.raw).includes(word));
  claim(`the hub has the call "${word}" once, not ${calls.length} times`, calls.length === 1);
  const [call] = calls as [StoredEvent];
  claim(`it is told by ${id}, not ${call.source.app}`, call.source.app === id);
  claim("it has a session", typeof call.session?.id === "string" && call.session.id !== "");
  claim('its tool is called "Bash"', (call.payload.tool as { name?: unknown }).name === "Bash");
  return call;
}

export function verdictOf({ decision }: StoredEvent): string | undefined {
  return (decision as { readonly verdict?: string } | undefined)?.verdict;
}

/** What must come of a call that the hub could not be asked about. */
export async function claimUnasked(stage: Stage, marker: string): Promise<void> {
  if (stage.isStrict) claim(`strict: "${marker}" did not run`, !stage.has(marker));
  else claim(`not strict: "${marker}" ran`, stage.has(marker));
}

export async function claimMissed(stage: Stage, least = 1): Promise<void> {
  const missed = await stage.missed();
  claim(`${least} or more misses are counted, not ${missed}`, missed >= least);
}
