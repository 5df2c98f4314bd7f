import { z } from "zod";
import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { byeFrame } from "../live/sse-frames.js";
import type { DemoAnswer, RotateAnswer, StopAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract, noFields } from "./schemas.js";

export const demo = route({
  method: "POST",
  path: "/api/demo",
  scope: "approve",
  access: "ask",
  summary: "Starts the scripted agent, which sends sample events",
  body: noFields,
  answer: {
    status: 202,
    description: "The agent runs for a few seconds. Its tools run nothing.",
    body: z.object({ started: z.literal(true) }).register(contract, { id: "DemoAnswer" }),
  },
  handle({ parts }) {
    if (parts.startDemo()) return json({ started: true } satisfies DemoAnswer, 202);
    throw new Refused(409, "HL_TOO_MANY", "A demo is already running.", { fix: "Wait until it ends: it takes a few seconds." });
  },
});

export const rotateToken = route({
  method: "POST",
  path: "/api/token/rotate",
  scope: "approve",
  access: "operate",
  allows: ({ body: { only } }) =>
    only === undefined ? "Replace every key, and sign out every dashboard." : "Replace the keys of attached agents.",
  summary: "Replaces every key: those of processes, of the operator, of dashboards and of attached agents",
  body: z
    .strictObject({ only: z.enum(["agents"]).exactOptional().describe("Replaces the keys of attached agents only.") })
    .register(contract, { id: "RotateRequest" }),
  answer: {
    description: "The old keys are void, and the new ones are in the files where clients look for them.",
    body: z
      .object({ rotated: z.literal(true), left: z.array(z.string()).describe("What you have to do by hand.") })
      .register(contract, { id: "RotateAnswer" }),
  },
  handle({ parts, server, body: { only } }) {
    const left = parts.rotateKeys(only ?? "all");
    // Streams that were opened with an old token must show the new one.
    if (only === undefined) server.streams.end(byeFrame({ reason: "token_rotated" }));
    return json({ rotated: true, left } satisfies RotateAnswer);
  },
});

export const stop = route({
  method: "POST",
  path: "/api/stop",
  scope: "approve",
  access: "operate",
  allows: () => "Stop the hub. Agents that are not attached with --strict are then not guarded.",
  summary: "Stops the hub, as a signal would",
  body: noFields,
  answer: {
    status: 202,
    description: "The hub stops after it has sent this answer.",
    body: z.object({ stopping: z.literal(true) }).register(contract, { id: "StopAnswer" }),
  },
  handle({ parts, outgoing }) {
    outgoing.once("close", () => parts.stop());
    return json({ stopping: true } satisfies StopAnswer, 202);
  },
});
