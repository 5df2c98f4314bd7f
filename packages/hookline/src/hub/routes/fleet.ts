import { z } from "zod";
import { json } from "../http/answer.js";
import type { FleetAnswer, FleetQuestionsAnswer, FollowFleetAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract, count, noFields } from "./schemas.js";

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

const question = z
  .object({
    host: z.string(),
    id: z.string(),
    event: z.string(),
    hash: z.string().describe("The hash of what would run."),
    shown: z.string().describe("The digest of the question. An answer names it."),
    by: z.string().describe("The guard that asks."),
    askedAt: z.number().describe("Milliseconds since 1970, by the host's clock."),
    expiresAt: z.number().describe("Milliseconds since 1970, by the host's clock."),
    payload: z.unknown().describe("What would run, without secrets."),
    asked: z.unknown().exactOptional().describe("What the agent asked for, if a guard rewrote it."),
    reason: z.string().exactOptional(),
    asks: z.array(z.object({ by: z.string(), reason: z.string().exactOptional() })).exactOptional(),
    app: z.string().exactOptional(),
    session: z.string().exactOptional(),
    cwd: z.string().exactOptional(),
    call: z.string().exactOptional().describe("What `always` would pin. Missing for what cannot be allowed for good."),
    isCut: z.boolean().exactOptional().describe("The call is too large to be shown here, and can only be denied."),
  })
  .describe("A call on a host that waits for a person.")
  .register(contract, { id: "FleetQuestion" });

export const fleetQuestions = route({
  method: "GET",
  path: "/api/fleet/questions",
  scope: "read",
  access: "read",
  summary: "Lists the calls on all hosts that wait for a person, on a fleet hub",
  answer: {
    description: "The calls, the oldest first.",
    body: z.object({ questions: z.array(question) }).register(contract, { id: "FleetQuestionsAnswer" }),
  },
  handle: ({ parts: { fleet } }) => json({ questions: fleet.part?.questions?.() ?? [] } satisfies FleetQuestionsAnswer),
});

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
  body: noFields,
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
