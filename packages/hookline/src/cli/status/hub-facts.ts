import { inertText } from "@hookline/core/internal/text";
import type { Fault, FaultsAnswer, HandlersAnswer } from "../../hub/protocol.js";
import { connectHub } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

/** What a running hub knows about the rules and hooks that a command lists. */
export interface HubFacts {
  readonly handlers: HandlersAnswer["handlers"];
  readonly rules: HandlersAnswer["rules"];
  readonly faults: readonly Fault[];
  /** When the hub and its counters started. Milliseconds since 1970. */
  readonly startedAt: number;
}

/** `undefined` if no hub runs: files can be listed anyway. */
export async function readHub(env: NodeJS.ProcessEnv): Promise<HubFacts | undefined> {
  try {
    const hub = await connectHub(env);
    const [{ handlers, rules }, { faults }] = await Promise.all([
      hub.get<HandlersAnswer>("/api/handlers"),
      hub.get<FaultsAnswer>("/api/faults"),
    ]);
    return { handlers, rules, faults, startedAt: Date.parse(hub.file.startedAt) };
  } catch {
    return undefined;
  }
}

/** What the hub does about each fault. The lists show the faults themselves. */
export function sayFaults(faults: readonly Fault[], { say, paintTalk }: Terminal): void {
  for (const { name, effect } of faults) say(`${paintTalk("yellow", "!")} ${inertText(name)}: ${inertText(effect)}`);
}
