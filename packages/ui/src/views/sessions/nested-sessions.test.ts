import { expect, it } from "vitest";
import type { SessionRow } from "../../api/answers.js";
import { nestSessions } from "./nested-sessions.js";

const row = (id: string, lastAt: number, more: Partial<SessionRow> = {}): SessionRow => ({
  ...{ id, app: "agent", source: "", firstAt: 0, lastAt, events: 1, denied: 0, asked: 0 },
  ...more,
});
const shape = (sessions: readonly SessionRow[]) => nestSessions(sessions).map(({ session, depth, below }) => [session.id, depth, below]);

it("puts subagents below their parents, and the latest family first", () => {
  const sessions = [row("b", 5), row("a", 3), row("a1", 9, { parentId: "a" }), row("a11", 4, { parentId: "a1" })];
  expect(shape(sessions)).toEqual([
    ["a", 0, 2],
    ["a1", 1, 1],
    ["a11", 2, 0],
    ["b", 0, 0],
  ]);
  expect(nestSessions(sessions)[0]?.session).toMatchObject({ events: 3, lastAt: 9 });
});

it("adds up what is known, and keeps unknown what no session knows", () => {
  const [parent] = nestSessions([row("a", 1, { costUsd: 1 }), row("b", 1, { parentId: "a", inputTokens: 5 })]);
  expect(parent?.session).toMatchObject({ costUsd: 1, inputTokens: 5 });
  expect(parent?.session).not.toHaveProperty("outputTokens");
});

it("shows every session once, also those whose parents are unknown or in a circle", () => {
  expect(shape([row("x", 1, { parentId: "gone" })])).toEqual([["x", 0, 0]]);
  const circle = [row("a", 2, { parentId: "b" }), row("b", 1, { parentId: "a" })];
  expect(shape(circle).map(([id]) => id)).toEqual(["a", "b"]);
});
