import { HookError, readManaged } from "@hookline/core/internal/machine";
import type { FleetTools, Terminal } from "hookline/internal/fleet";
import type { Credential } from "../credentials/credential.js";
import { readJoined, removeCredential, saveCredential } from "../credentials/joined.js";
import { tellHub } from "../credentials/tell-hub.js";

/** What the hub of this machine takes part as. */
export type JoinedHub = Pick<Credential, "kind" | "name" | "fleet" | "tenant">;

/** Missing if it takes part in no fleet. A managed hub says it itself, because only its user can read its files. */
export async function joinedHub({ connectIfRunning }: FleetTools, env: NodeJS.ProcessEnv): Promise<JoinedHub | undefined> {
  if (readManaged() === undefined) return readJoined(env);
  const hub = (await connectIfRunning(env)) ?? stopped();
  const { role, name = "", fleet = "", tenant = "" } = await hub.get<PlaceInFleet>("/api/fleet");
  return role === "none" ? undefined : { kind: role, name, fleet, tenant };
}

/** What the hub answers about its place. */
interface PlaceInFleet extends Partial<Omit<JoinedHub, "kind">> {
  readonly role: "none" | "host" | "hub";
}

/** Gives the hub of this machine what it joins with, or lets it leave with `null`. A running hub keeps its files itself. */
export async function giveToHub(tools: FleetTools, terminal: Terminal, credential: Credential | null): Promise<void> {
  const { env, say } = terminal;
  const hub = await tools.connectIfRunning(env);
  if (hub !== undefined) return tellHub(hub, credential);
  if (readManaged() !== undefined) stopped();
  const { joinFleet, leaveFleet } = await tools.policyTools();
  if (credential === null) {
    removeCredential(env, "hub");
    await leaveFleet(env);
  } else {
    saveCredential(env, credential);
    await joinFleet(env);
  }
  say("The hub does not run. When it starts, it reads this: hookline up --detach");
}

function stopped(): never {
  throw new HookError("HL_HUB_UNREACHABLE", "The managed hub of this machine does not run, and only it can read and write its files.", {
    fix: { run: "sudo systemctl start hookline" },
  });
}
