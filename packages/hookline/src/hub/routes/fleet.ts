import { z } from "zod";
import { originOf } from "../auth/host-guard.js";
import { json } from "../http/answer.js";
import { Refused, refusedAs } from "../http/refused.js";
import type { FleetAnswer, FleetAnswerAnswer, FleetAuditAnswer, FleetQuestionsAnswer, FollowFleetAnswer } from "../protocol.js";
import { route } from "./route.js";
import { assertion, contract, count, limit } from "./schemas.js";

const facts = z.record(z.string(), z.unknown());
const MAX_CREDENTIAL = 128 * 1024;
const wordOf = (value: unknown): string => JSON.stringify(String(value)).slice(0, 100);

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

/** A statement of at most 16 kB and a passkey's signature, in JSON. */
const MAX_ANSWER = 128 * 1_024;
const STATUSES = {
  HL_APPROVAL_GONE: 409,
  HL_APPROVAL_CHANGED: 409,
  HL_NOT_CONFIRMED: 403,
  HL_BAD_REQUEST: 400,
  HL_FLEET_SERVER: 503,
  HL_FLEET_ROSTER: 503,
};

export const answerFleetQuestion = route({
  method: "POST",
  path: "/api/fleet/questions/answer",
  scope: "read",
  // It does not operate this hub. The person's proof, which the host checks, answers there.
  access: "read",
  summary: "Gives the answer of the person who is signed in to a call on a host; the first answer counts",
  maxBytes: MAX_ANSWER,
  body: z
    .strictObject({
      statement: z
        .string()
        .max(16_384)
        .describe("JSON: fleet, host, question, hash, shown, verdict, by, until, and if wanted reason and always."),
      response: assertion
        .exactOptional()
        .describe("The passkey's signature of the statement. Only a person whom a proxy named can do without it, if the hub may vouch."),
    })
    .register(contract, { id: "FleetAnswerRequest" }),
  answer: {
    description: "The answer is the first one, and is on its way to the host, which checks it.",
    body: z.object({ isGiven: z.literal(true) }).register(contract, { id: "FleetAnswerAnswer" }),
  },
  async handle({ parts: { people, onRefused }, incoming, holder, body: { statement, response } }) {
    const { person } = holder;
    const action = "POST /api/fleet/questions/answer";
    if (person === undefined || people.people === undefined)
      throw new Refused(403, "HL_SCOPE", "Only a person of the fleet who is signed in can answer for its hosts.", {
        fix: "Sign in with a passkey, or answer in a terminal: hookline approvals --fleet",
      });
    const way = people.answersWith(person, originOf(incoming));
    if (way === undefined || (way === "passkey" && response === undefined)) {
      const reason = person.mayAnswer ? "without a passkey of this dashboard." : `with the role ${person.role}.`;
      onRefused({ who: holder, action, target: person.name, reason: `${person.name} cannot answer ${reason}` });
      throw new Refused(403, "HL_SCOPE", `${person.name} cannot answer questions of the fleet here ${reason}`);
    }
    const given = people.people.answer({ by: person.name, statement, ...(way === "passkey" && { response }) });
    await refusedAs(STATUSES, given).catch((error: unknown) => {
      if (error instanceof Refused && error.code === "HL_NOT_CONFIRMED")
        onRefused({ who: holder, action, target: person.name, reason: error.message });
      throw error;
    });
    return json({ isGiven: true } satisfies FleetAnswerAnswer);
  },
});

export const fleetAudit = route({
  method: "GET",
  path: "/api/fleet/audit",
  scope: "read",
  access: "read",
  summary: "Lists who did what in the fleet, on a fleet hub",
  query: z.strictObject({ limit: limit(1_000, 200) }),
  answer: {
    description: "The last entries of the audit, the newest first.",
    body: z
      .object({
        entries: z.array(
          z
            .object({
              at: z.string().describe("ISO 8601, by the server's clock."),
              kind: z.string().describe("Whose credential wrote it: `person`, `hub` or `host`."),
              name: z.string().describe("The name of the credential."),
              action: z.string(),
              facts,
            })
            .describe("An entry of the fleet's audit.")
            .register(contract, { id: "FleetAuditEntry" }),
        ),
      })
      .register(contract, { id: "FleetAuditAnswer" }),
  },
  async handle({ parts: { people }, query }) {
    const entries = people.people === undefined ? [] : await refusedAs(STATUSES, people.people.audit(query.limit));
    return json({ entries } satisfies FleetAuditAnswer);
  },
});

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
        fleet: z.string().exactOptional().describe("The id of the fleet."),
        tenant: z.string().exactOptional().describe("Its name on the server."),
        dashboard: z.string().exactOptional().describe("On a fleet hub: the origin where people sign in."),
        status: facts.exactOptional().describe("What it is doing: whether it is connected, positions, counters, faults."),
        hosts: z.array(host).exactOptional().describe("On a fleet hub: the hosts, by name."),
      })
      .register(contract, { id: "FleetAnswer" }),
  },
  handle({ parts, holder }) {
    const { settings, part } = parts.fleet;
    if (settings === undefined) return json({ role: "none" } satisfies FleetAnswer);
    const { role, name, fleet, tenant } = settings;
    // The dashboard's own name cannot be guessed. Operators may know it.
    const dashboard = role === "hub" && holder.scopes.has("approve") ? (parts.publicOrigin ?? parts.url()) : undefined;
    const hosts = role === "hub" ? (part?.hosts?.() ?? []) : undefined;
    return json({
      role,
      name,
      fleet,
      tenant,
      ...(dashboard !== undefined && { dashboard }),
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
  allows: ({ body: { credential } }) => {
    if (credential === null) return "Leave the fleet: its policy no longer counts, and it gets no more events.";
    return `Join the fleet ${wordOf(credential.fleet)} as ${wordOf(credential.kind)} ${wordOf(credential.name)}: its people see what happens here, and its policy counts.`;
  },
  maxBytes: MAX_CREDENTIAL,
  body: z
    .strictObject({
      credential: facts
        .nullable()
        .describe("What the hub joins with: it is stored first, where only the hub's user can read it. `null`: the stored one is removed."),
    })
    .register(contract, { id: "FollowFleetRequest" }),
  answer: {
    description: "The hub has done so. It connects to the server in the background.",
    body: z
      .object({ role: z.enum(["none", "host", "hub"]).describe("`none`: the hub is in no fleet.") })
      .register(contract, { id: "FollowFleetAnswer" }),
  },
  async handle({ parts: { fleet }, body: { credential } }) {
    await refusedAs({ HL_FLEET_CREDENTIALS: 400, HL_FLEET_MISSING: 503 }, fleet.follow(credential));
    return json({ role: fleet.settings?.role ?? "none" } satisfies FollowFleetAnswer);
  },
});
