import { z } from "zod";
import { json } from "../http/answer.js";
import type { AcknowledgeAnswer, AlarmsAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract, count, personName, processRow } from "./schemas.js";

const MAX_IDS = 200;
const MAX_NAME = 500;

export const alarm = z
  .object({
    id: z.string(),
    kind: z
      .enum(["refused", "tampered", "loosened", "changed", "operated"])
      .describe(
        "`refused`: a process tried to operate and may not. `tampered`: a file that the guards depend on changed. `loosened`: the policy allows more than before. `changed`: the same in plain mode, a notice that does not wait for a person. `operated`: a process without a terminal operated while an attached agent runs.",
      ),
    text: z.string().describe("What happened."),
    fix: z.string().exactOptional().describe("What to do about it: a command or a sentence."),
    agent: z.string().exactOptional().describe("The attached agent that is concerned."),
    path: z.string().exactOptional().describe("The file that is concerned."),
    process: processRow.exactOptional(),
    count: count.describe("How often it happened."),
    firstAt: count.describe("Milliseconds since 1970."),
    lastAt: count.describe("Milliseconds since 1970."),
    acknowledged: z
      .object({ by: z.string(), at: count.describe("Milliseconds since 1970.") })
      .exactOptional()
      .describe("The person who has seen it."),
  })
  .describe("What a person must look at.")
  .register(contract, { id: "Alarm" });

export const alarms = route({
  method: "GET",
  path: "/api/alarms",
  scope: "read",
  access: "read",
  summary: "Lists the alarms: attempts to operate that the hub refused, and changes to what the guards depend on",
  answer: {
    description: "The alarms, the latest first. Equal ones are one entry with a count.",
    body: z
      .object({
        alarms: z.array(alarm),
        waiting: count.describe("How many alarms no person has acknowledged."),
        unlisted: count.describe("How many of these are too old for the list. The events are stored."),
      })
      .register(contract, { id: "AlarmsAnswer" }),
  },
  handle: ({ parts }) => json(parts.alarms.list() satisfies AlarmsAnswer),
});

export const acknowledgeAlarms = route({
  method: "POST",
  path: "/api/alarms/acknowledge",
  scope: "approve",
  access: "operate",
  summary: "Records that a person has seen alarms; the next equal one is a new alarm",
  body: z
    .strictObject({
      ids: z.array(z.string()).max(MAX_IDS).describe("The alarms that the person saw. One that came later stays."),
      unlisted: count.default(0).describe("The number of older alarms that the person saw."),
      by: personName(MAX_NAME).default("a person").describe("The name for the record."),
    })
    .register(contract, { id: "AcknowledgeRequest" }),
  answer: {
    description: "The alarms are no longer shown.",
    body: z.object({ acknowledged: count.describe("How many alarms.") }).register(contract, { id: "AcknowledgeAnswer" }),
  },
  handle: ({ parts, body: { by, ids, unlisted } }) =>
    json({ acknowledged: parts.alarms.acknowledge(by, ids, unlisted) } satisfies AcknowledgeAnswer),
});
