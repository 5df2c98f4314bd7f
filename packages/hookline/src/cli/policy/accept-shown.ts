import { inertText, shellWord } from "@hookline/core/internal/text";
import { digestOfAll } from "../../hub/policy/shown.js";
import type { PolicyAcceptAnswer, PolicyAnswer, PolicyChange } from "../../hub/protocol.js";
import { agreeToShown } from "../agree-to-shown.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectIfRunning, type HubClient } from "../hub-client.js";
import type { Terminal } from "../terminal.js";
import { openOffline } from "./accept-own.js";

/** What waits, and who takes it into force: the hub, or without one, the record that it starts with. */
export interface WaitingPolicy extends PolicyAnswer {
  /** Returns the ids of what is in force now. */
  accept(changes: readonly PolicyChange[]): Promise<readonly string[]>;
  readonly isRunning: boolean;
}

export async function readWaiting(terminal: Terminal): Promise<WaitingPolicy> {
  const hub = await connectIfRunning(terminal.env);
  return hub === undefined ? readOffline(terminal) : readFrom(hub);
}

async function readFrom(hub: HubClient): Promise<WaitingPolicy> {
  return {
    ...(await hub.get<PolicyAnswer>("/api/policy")),
    isRunning: true,
    accept: async (changes) => {
      const body = JSON.stringify({ changes: changes.map(({ id, digest }) => ({ id, digest })) });
      return (await hub.post<PolicyAcceptAnswer>("/api/policy/accept", body)).accepted;
    },
  };
}

async function readOffline(terminal: Terminal): Promise<WaitingPolicy> {
  const offline = await openOffline(terminal.env);
  if (offline === undefined) terminal.say("No policy is recorded yet: the hub accepts the present one when it starts for the first time.");
  return {
    ...(offline?.list() ?? { mode: "plain", changes: [] }),
    isRunning: false,
    // The files are read again: they may have changed while a person looked.
    accept: async (changes) => (await openOffline(terminal.env))?.accept(changes.map(({ id, digest }) => ({ id, digest }))) ?? [],
  };
}

/** Shows changes and puts exactly these into force, once a person has agreed or has named their digest. */
export async function acceptShown(
  terminal: Terminal,
  policy: WaitingPolicy,
  {
    chosen,
    digest: given,
    command,
  }: { readonly chosen: readonly PolicyChange[]; readonly digest?: string | undefined; readonly command: string },
): Promise<number> {
  for (const change of chosen) printChange(change, terminal);
  const what = countText(chosen.length, "change");
  const name = chosen.length === 1 ? (chosen[0]?.name ?? "") : what;
  const digest = digestOfAll(chosen.map((change) => change.digest));
  if (!(await agreeToShown(terminal, { name, digest, question: `Put ${what} into force, as shown?`, command }, given))) return EXIT.failed;
  const accepted = await policy.accept(chosen);
  terminal.say(`${countText(accepted.length, "change")} accepted.${policy.isRunning ? "" : " The hub uses this when it starts."}`);
  const others = chosen.filter(({ id }) => !accepted.includes(id)).map((change) => inertText(change.name));
  if (others.length > 0) terminal.say(`No longer waiting, and not accepted: ${others.join(", ")}.`);
  return others.length === 0 ? EXIT.ok : EXIT.failed;
}

export function acceptCommand(name: string): string {
  return `hookline policy accept ${shellWord(inertText(name))}`;
}

export function printChange(
  { kind, name, change, isCode, what, inForce, diff, digest }: PolicyChange,
  { print, paint, typeable }: Terminal,
): void {
  print(
    `${paint(isCode ? "red" : "yellow", isCode ? "CODE" : change)} ${kind} ${inertText(name)}: ${typeable(inertText(`${what} ${inForce}`))}`,
  );
  for (const line of diff.replace(/\n$/, "").split("\n")) print(`  ${typeable(inertText(line))}`);
  print(`  digest ${digest}`);
}
