import type { Actor } from "@hookline/core";
import type { EnvelopeSource } from "@hookline/core/sinks";

/** What the hub calls itself in what it records. */
export const HUB_APP = "hookline-hub";

/** The actor when limits or failures of the hub itself decide. */
export const HUB_ACTOR: Actor = { kind: "hub", name: "hookline", at: "hub" };

export interface OwnSource {
  /** Events with that instance are the hub's from now on. */
  add(instance: string): void;
  /** Whether an event says that it comes from the hub itself. */
  isClaimedBy(source: EnvelopeSource): boolean;
}

/** A process with the forwarders' token may report its own events, but not in the hub's name, because the record says who allowed what. */
export function createOwnSource(instance: string): OwnSource {
  const own = new Set([instance]);
  // The same few come again and again.
  let known = "";
  return {
    add: (instance) => void own.add(instance),
    isClaimedBy({ app, instance }) {
      if (own.has(instance)) return true;
      if (app === known) return false;
      if (looksLike(app)) return true;
      known = app;
      return false;
    },
  };
}

/** What a reader would take for it is as good as the name itself. */
function looksLike(app: string): boolean {
  return (
    app
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^a-z]/g, "") === "hooklinehub"
  );
}
