import { z } from "zod";
import { json } from "../http/answer.js";
import type { OperatorAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract, personName, processRow } from "./schemas.js";

const MAX_ACTION = 200;

export const operator = route({
  method: "POST",
  path: "/api/operator",
  scope: "read",
  access: "ask",
  summary: "Checks that the sender may operate; commands ask this before they change files",
  body: z
    .strictObject({ action: personName(MAX_ACTION).describe("What the sender is about to do, for the record of a refusal.") })
    .register(contract, { id: "OperatorRequest" }),
  answer: {
    description: "The sender may operate. Otherwise the answer is 403, and the attempt is an alarm.",
    body: z
      .object({ process: processRow.exactOptional().describe("The sender, as the operating system knows it.") })
      .register(contract, { id: "OperatorAnswer" }),
  },
  async handle({ operate, body: { action } }) {
    const { process } = await operate(action);
    return json({ ...(process !== undefined && { process }) } satisfies OperatorAnswer);
  },
});
