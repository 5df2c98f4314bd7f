import { HookError } from "@hookline/core";
import { z } from "zod";
import { DEFAULT_PAUSE_MS, MAX_PAUSE_MS } from "../gates/pause.js";
import { json } from "../http/answer.js";
import { wholeNumber } from "../http/read-input.js";
import { refusedWith } from "../http/refused.js";
import type { PauseAnswer, ResumeAnswer, SelftestAnswer } from "../protocol.js";
import { within } from "./deadline.js";
import { route } from "./route.js";
import { anyObject, contract, guardPause, milliseconds, noFields, personName } from "./schemas.js";

const MAX_TEXT = 500;
const by = personName(MAX_TEXT).default("a person").describe("The name for the record.");
const pauseAnswer = {
  description: "`paused` while the hub asks no guard.",
  body: z.object({ paused: guardPause.exactOptional() }).register(contract, { id: "PauseAnswer" }),
};

export const paused = route({
  method: "GET",
  path: "/api/pause",
  scope: "read",
  access: "read",
  summary: "Shows whether the hub's guards are paused, by whom and until when",
  answer: pauseAnswer,
  handle({ parts }) {
    const row = parts.pause.current();
    return json({ ...(row !== undefined && { paused: row }) } satisfies PauseAnswer);
  },
});

export const pause = route({
  method: "POST",
  path: "/api/pause",
  scope: "approve",
  access: "operate",
  allows({ parts, body: { forMs } }) {
    const minutes = Math.ceil(forMs / 60_000);
    const { bundle } = parts.bundles.status();
    const what = bundle === undefined ? "every call passes" : `only the guards of the bundle ${bundle.name} still decide`;
    return `Pause the hub's guards for ${minutes} ${minutes === 1 ? "minute" : "minutes"}: ${what}.`;
  },
  summary: "Pauses the hub's guards for a while: every call passes and is recorded as paused",
  body: z
    .strictObject({
      forMs: wholeNumber(1, MAX_PAUSE_MS).default(DEFAULT_PAUSE_MS).describe("How long; at most 8 hours."),
      reason: personName(MAX_TEXT).exactOptional(),
      by,
    })
    .register(contract, { id: "PauseRequest" }),
  answer: pauseAnswer,
  handle: ({ parts, body }) => json({ paused: parts.pause.begin(body) } satisfies PauseAnswer),
});

export const resume = route({
  method: "POST",
  path: "/api/resume",
  scope: "approve",
  access: "operate",
  allows: () => "End the pause: the hub asks its guards again.",
  summary: "Ends a pause: the hub asks its guards again",
  body: z.strictObject({ by }).register(contract, { id: "ResumeRequest" }),
  answer: {
    description: "The guards are active.",
    body: z.object({ ended: z.boolean().describe("False if there was no pause.") }).register(contract, { id: "ResumeAnswer" }),
  },
  handle: ({ parts, body }) => json({ ended: parts.pause.end(body.by) } satisfies ResumeAnswer),
});

const SELFTEST_MS = 600_000;

const selftestState = z
  .enum(["denied", "asked", "failed closed", "broken", "let through", "not asked", "no such tool", "waiting", "no canary"])
  .describe(
    "What became of a canary. `denied` and `asked` are right. `broken`: a stand-in for the guard denies everything. `no such tool`: no attached agent has a tool that the guard is for.",
  )
  .register(contract, { id: "SelftestState" });

const selftestResult = z
  .object({
    event: z.string(),
    sent: z.union([z.string(), anyObject]),
    agent: z.string().exactOptional().describe("The attached agent whose form of the call was sent; missing if it was sent as written."),
    state: selftestState,
    reason: z.string().exactOptional(),
    failure: z.string().exactOptional(),
    ms: milliseconds,
  })
  .register(contract, { id: "SelftestResult" });

const selftestGuard = z
  .object({
    name: z.string(),
    kind: z.enum(["rule", "hook", "broken"]),
    project: z.string().exactOptional(),
    state: selftestState.describe("The worst state of its canaries."),
    hint: z.string().exactOptional(),
    missing: z
      .array(z.object({ agent: z.string(), reason: z.string() }))
      .exactOptional()
      .describe("The attached agents without a tool that the guard is for."),
    canaries: z.array(selftestResult),
  })
  .register(contract, { id: "SelftestGuard" });

export const selftest = route({
  method: "POST",
  path: "/api/selftest",
  scope: "approve",
  access: "ask",
  summary: "Sends every guard a call that it must deny",
  body: noFields,
  answer: {
    description: "What each guard did. Nothing of it is stored.",
    body: z
      .object({
        ok: z.boolean().describe("Every guard did what it must. False while guards are paused."),
        agents: z.array(z.string()).describe("The attached agents. Each canary is sent as each of them would send it."),
        guards: z.array(selftestGuard),
        paused: guardPause.exactOptional(),
      })
      .register(contract, { id: "SelftestAnswer" }),
  },
  async handle({ parts, outgoing }) {
    try {
      return json((await within(SELFTEST_MS, outgoing, (signal) => parts.selftest(signal))) satisfies SelftestAnswer);
    } catch (error) {
      // The time was up, or the client went away. Neither is a failure of the hub.
      throw error instanceof HookError ? refusedWith(503, error) : error;
    }
  },
});
