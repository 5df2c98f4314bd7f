import { z } from "zod";
import { json } from "../http/answer.js";
import type { NotifyTestAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract } from "./schemas.js";

const TIMEOUT_MS = 30_000;

export const notifyTest = route({
  method: "POST",
  path: "/api/notify/test",
  scope: "approve",
  access: "operate",
  allows: ({ body: { name } }) => `Send a test message to ${name === undefined ? "every notification target" : `"${name}"`}.`,
  summary: "Sends a test message to the targets of `[[notify]]`",
  body: z
    .strictObject({ name: z.string().min(1).max(64).exactOptional().describe("The target. Default: all of them.") })
    .register(contract, { id: "NotifyTestRequest" }),
  answer: {
    description: "What became of each message.",
    body: z
      .object({
        sent: z.array(
          z
            .object({
              name: z.string(),
              type: z.string(),
              ok: z.boolean().describe("The service took it."),
              error: z.string().exactOptional().describe("Why it did not."),
            })
            .register(contract, { id: "NotifyTestRow" }),
        ),
      })
      .register(contract, { id: "NotifyTestAnswer" }),
  },
  async handle({ parts, body: { name } }) {
    return json((await parts.notify.test(name, AbortSignal.timeout(TIMEOUT_MS))) satisfies NotifyTestAnswer);
  },
});
