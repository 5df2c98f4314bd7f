import { expect, it } from "vitest";
import type { HookEvent } from "../bus/types.js";
import { GateQuestions } from "./gate-questions.js";

const absence = { isHopeless: () => false, why: () => "there is no hub" };
const asking = { kind: "gate", timeoutMs: 200, endsWithFiles: false } as const;

it("fails and counts a question that was cancelled before it was asked", async () => {
  const questions = new GateQuestions(absence);
  const event = { name: "tool:before", payload: {}, session: undefined, signal: AbortSignal.abort("enough") } as unknown as HookEvent;
  await expect(questions.ask(event, asking)).rejects.toMatchObject({ code: "HL_CANCELLED", cause: "enough" });
  expect(questions.counters).toEqual({ asked: 1, answered: 0, failed: 1, stray: 0 });
});

it("fails rather than ask about a part of a payload", async () => {
  const written: string[] = [];
  const questions = new GateQuestions(absence);
  questions.attach({ unwritten: 0, write: (text: string) => void written.push(text) } as never);
  const nested = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), "rm -rf /");
  const asked = (payload: unknown) => {
    const event = { name: "tool:before", payload, session: undefined, signal: new AbortController().signal } as unknown as HookEvent;
    return questions.ask(event, asking).catch((error: { code: string }) => error.code);
  };
  const hostile = {
    get command(): string {
      throw new Error("not for you");
    },
  };
  expect(await Promise.all([asked(nested(65)), asked({ tool: { input: hostile } })])).toEqual(["HL_NOT_WHOLE", "HL_NOT_WHOLE"]);
  expect(written).toEqual([]);
  const large = { list: Array.from({ length: 150_000 }, () => 0), command: "rm -rf /" };
  expect(await Promise.all([asked(nested(60)), asked(large)])).toEqual(["HL_TIMEOUT", "HL_TIMEOUT"]);
  expect(written.map((text) => text.includes("rm -rf /") && !text.includes("$hookline"))).toEqual([true, true]);
});
