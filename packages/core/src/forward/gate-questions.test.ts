import { expect, it } from "vitest";
import type { HookEvent } from "../bus/types.js";
import { GateQuestions } from "./gate-questions.js";

it("fails and counts a question that was cancelled before it was asked", async () => {
  const questions = new GateQuestions(() => false);
  const event = { name: "tool:before", payload: {}, session: undefined, signal: AbortSignal.abort("enough") } as unknown as HookEvent;
  await expect(questions.ask(event, 1_000)).rejects.toMatchObject({ code: "HL_CANCELLED", cause: "enough" });
  expect(questions.counters).toEqual({ asked: 1, answered: 0, failed: 1, stray: 0 });
});
