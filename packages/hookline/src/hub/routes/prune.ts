import { z } from "zod";
import { json } from "../http/answer.js";
import type { PruneAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract, count } from "./schemas.js";

export const prune = route({
  method: "POST",
  path: "/api/prune",
  scope: "approve",
  access: "operate",
  allows: () => "Remove old events from the record.",
  summary: "Removes some of the oldest events; repeat it until `removed` is 0",
  body: z
    .strictObject({
      maxAgeMs: count.exactOptional().describe("Events that are older go."),
      maxBytes: count.exactOptional().describe("The oldest go until the store takes no more."),
      dryRun: z.boolean().exactOptional().describe("Removes nothing, and says how many events would go; for `maxBytes`, about."),
    })
    .register(contract, { id: "PruneRequest" }),
  answer: {
    description: "How many events are gone. The chain says how many decisions were among them.",
    body: z.object({ removed: count }).register(contract, { id: "PruneAnswer" }),
  },
  async handle({ parts: { store }, body: { dryRun, ...limits } }) {
    const removed = dryRun === true ? await store.excess(limits) : await store.retainSome(limits);
    return json({ removed } satisfies PruneAnswer);
  },
});
