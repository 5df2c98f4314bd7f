import type { FleetTools } from "hookline/internal/fleet";
import type { Credential } from "./credential.js";

type HubClient = NonNullable<Awaited<ReturnType<FleetTools["connectIfRunning"]>>>;

/** The hub loads this package and builds its rules again. On a busy machine, that takes longer than other answers do. */
const FOLLOW_MS = 60_000;

/** What a running hub joins with, or `null` to leave. */
export async function tellHub(hub: Pick<HubClient, "post">, credential: Credential | null): Promise<void> {
  await hub.post("/api/fleet/follow", JSON.stringify({ credential }), "application/json", FOLLOW_MS);
}
