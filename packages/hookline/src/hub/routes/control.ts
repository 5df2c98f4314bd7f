import { dirname } from "node:path";
import { quoted } from "@hookline/core/internal/text";
import { z } from "zod";
import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { byeFrame } from "../live/sse-frames.js";
import type { DemoAnswer, HandOverAnswer, MetricsTokenAnswer, RotateAnswer, StopAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract, noFields } from "./schemas.js";

const UNWRITABLE = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM"]);

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
    const left = rotated(() => parts.rotateKeys(only ?? "all"), parts.data);
    // Streams that were opened with an old token must show the new one.
    if (only === undefined) server.streams.end(byeFrame({ reason: "token_rotated" }));
    return json({ rotated: true, left } satisfies RotateAnswer);
  },
});

export const metricsToken = route({
  method: "POST",
  path: "/api/token/metrics",
  scope: "approve",
  access: "operate",
  allows: () => "Make a token that can only read /metrics; the one before stops working.",
  summary: "Makes a token that can only read `/metrics`, in place of the one before",
  body: noFields,
  answer: {
    description: "The new token. The hub keeps only its digest, so it cannot show the token again.",
    body: z.object({ token: z.string() }).register(contract, { id: "MetricsTokenAnswer" }),
  },
  handle: ({ parts }) => json({ token: rotated(() => parts.tokens.createMetrics(), parts.data) } satisfies MetricsTokenAnswer),
});

/** The system's own error, of which others tell. */
function systemErrorIn(error: unknown): NodeJS.ErrnoException | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if (UNWRITABLE.has((each as NodeJS.ErrnoException).code ?? "")) return each;
  return undefined;
}

/** If a file cannot be written, the keys from before stay in force, and the answer says why. */
function rotated<T>(rotate: () => T, folder: string): T {
  try {
    return rotate();
  } catch (error) {
    const { code, path = folder } = systemErrorIn(error) ?? {};
    if (code === undefined) throw error;
    const why = code === "ENOSPC" || code === "EDQUOT" ? "the disk is full" : `the system answered ${code}`;
    throw new Refused(507, "HL_DISK_FULL", `The new keys cannot be written to "${path}": ${why}. The keys from before stay valid.`, {
      fix: { run: code === "EROFS" || code === "EACCES" ? "hookline doctor" : `df -h ${quoted(dirname(path))}` },
      cause: error,
    });
  }
}

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

export const handOver = route({
  method: "POST",
  path: "/api/handover",
  scope: "approve",
  access: "operate",
  allows: () => "Replace the hub by another one.",
  summary: "Lets another hub take over: `hookline upgrade` uses it",
  body: noFields,
  answer: {
    status: 202,
    description:
      "For a minute, the hub gives way to a hub of the same user that takes its sockets. It finishes the calls that it has begun.",
    body: z
      .object({
        pid: z.number(),
        startedWith: z
          .object({
            port: z.number().exactOptional(),
            host: z.string().exactOptional(),
            data: z.string().exactOptional(),
            config: z.string().exactOptional(),
            remoteApprovals: z.boolean().exactOptional(),
          })
          .describe("The options that the hub was started with."),
      })
      .register(contract, { id: "HandOverAnswer" }),
  },
  handle({ parts }) {
    const waiting = parts.approvals.list().length;
    if (waiting > 0)
      throw new Refused(
        409,
        "HL_WAITING",
        `${waiting === 1 ? "1 call waits" : `${waiting} calls wait`} for a person, and would not be answered.`,
        {
          fix: { run: "hookline approvals" },
        },
      );
    parts.handOver();
    return json({ pid: process.pid, startedWith: parts.startedWith } satisfies HandOverAnswer, 202);
  },
});
