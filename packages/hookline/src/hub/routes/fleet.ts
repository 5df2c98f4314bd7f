import { z } from "zod";
import { json } from "../http/answer.js";
import type { FleetAnswer, FollowFleetAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract, count } from "./schemas.js";

const facts = z.record(z.string(), z.unknown());

const host = z
  .object({
    name: z.string().describe("The name of its credential."),
    isPresent: z.boolean(),
    seenAt: z.number().exactOptional().describe("Milliseconds since 1970; missing if it was not present since this hub started."),
    presence: facts.exactOptional().describe("What the host says of itself: version, policy, positions, counters."),
    clockAheadMs: z.number().exactOptional().describe("How far its clock is ahead of this machine's; negative if it is behind."),
    position: count.describe("The position in the host's store up to which this store has its events."),
    behind: count.exactOptional().describe("How many positions of its store are not here yet; missing for a host that is away."),
    stored: count.describe("Messages stored since this hub started."),
    duplicates: count.describe("Messages that came again since this hub started."),
    missing: count.describe(
      "Events that cannot come any more, or were refused, since this hub started. Each is told by an event `fleet:gap`.",
    ),
  })
  .describe("A host as the fleet hub knows it.")
  .register(contract, { id: "FleetHost" });

export const fleet = route({
  method: "GET",
  path: "/api/fleet",
  scope: "read",
  access: "read",
  summary: "Tells which fleet this hub is in, and on a fleet hub its hosts",
  answer: {
    description: "The hub's place in a fleet.",
    body: z
      .object({
        role: z.enum(["none", "host", "hub"]).describe("`none`: the hub is in no fleet."),
        name: z.string().exactOptional().describe("The name of the hub's credential."),
        status: facts.exactOptional().describe("What it is doing: whether it is connected, positions, counters, faults."),
        hosts: z.array(host).exactOptional().describe("On a fleet hub: the hosts, by name."),
      })
      .register(contract, { id: "FleetAnswer" }),
  },
  handle({ parts: { fleet } }) {
    const { settings, part } = fleet;
    if (settings === undefined) return json({ role: "none" } satisfies FleetAnswer);
    const { role, name } = settings;
    const hosts = role === "hub" ? (part?.hosts?.() ?? []) : undefined;
    return json({
      role,
      name,
      ...(part !== undefined && { status: part.status() }),
      ...(hosts !== undefined && { hosts }),
    } satisfies FleetAnswer);
  },
});

export const followFleet = route({
  method: "POST",
  path: "/api/fleet/follow",
  scope: "approve",
  access: "operate",
  summary: "Makes the hub read its credential of a fleet again: it joins, changes or leaves",
  answer: {
    description: "The hub has done so. It connects to the server in the background.",
    body: z
      .object({ role: z.enum(["none", "host", "hub"]).describe("`none`: the hub is in no fleet.") })
      .register(contract, { id: "FollowFleetAnswer" }),
  },
  async handle({ parts: { fleet } }) {
    await fleet.follow();
    return json({ role: fleet.settings?.role ?? "none" } satisfies FollowFleetAnswer);
  },
});
