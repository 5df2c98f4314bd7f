import { describe, expect, it } from "vitest";
import type { PlacedEvent, SessionRow } from "../../hub/protocol.js";
import type { Approval } from "../format/approval-lines.js";
import { displayWidth } from "../format/display-width.js";
import { createPaint } from "../format/paint.js";
import { pressKey } from "./press-key.js";
import { topLines } from "./top-lines.js";
import { startState, type TopState, withEvents, withWaiting } from "./top-state.js";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const HOSTILE = "echo \u001b[2J\u009b31m\u202e\u2066hidden\u0007\r\nnext";
const plain = createPaint(false);

function approval(id: string, command: string): Approval {
  const payload = { tool: { name: "Bash", input: { command } } };
  const source = { app: "claude-code", instance: "i", host: "h", pid: 1 };
  const actor = { kind: "rule", name: "pushes" } as const;
  const times = { askedAt: NOW, expiresAt: NOW + 252_000 };
  return { id, event: "tool:before", eventId: `e-${id}`, payload, source, hash: "0", by: "pushes", actor, reason: "Sure?", ...times };
}

function decided(place: number, command: string): PlacedEvent {
  const decision = { verdict: "deny", by: "no-rm", reason: command };
  const source = { app: "codex", instance: "i", host: "h", pid: 1 };
  const at = new Date(NOW).toISOString();
  const payload = { tool: { name: "Bash", input: { command } } };
  return { place, v: 1, id: `d${place}`, at, event: "tool:before", source, payload, decision } as unknown as PlacedEvent;
}

const session: SessionRow = { id: "s-1", app: "codex", source: "codex/1", firstAt: NOW, lastAt: NOW, events: 7, denied: 2, asked: 1 };

function stateOf(waiting: readonly Approval[], decisions: readonly PlacedEvent[] = []): TopState {
  const state = { ...startState("http://127.0.0.1:4665"), now: NOW, sessions: [session] };
  return withEvents(withWaiting(state, waiting), decisions);
}

function shown(state: TopState, columns = 100, rows = 24): string {
  return topLines(state, { columns, rows, paint: plain }).join("\n");
}

function pressed(state: TopState, keys: readonly string[], size = { columns: 100, rows: 24 }) {
  let act: ReturnType<typeof pressKey>[1];
  let now = state;
  for (const key of keys) [now, act] = pressKey(now, key, size);
  return { state: now, act };
}

describe("topLines", () => {
  const busy = stateOf(
    Array.from({ length: 30 }, (_, at) => approval(`a${at}`, `${HOSTILE} 推送 ${at}`)),
    Array.from({ length: 30 }, (_, at) => decided(at, `${HOSTILE} 🚀 ${at}`)),
  );

  it("fills the screen exactly, whatever its size", () => {
    const asking = pressed(busy, ["a"]).state;
    for (const state of [busy, asking, stateOf([]), { ...busy, message: HOSTILE.repeat(50) }])
      for (const columns of [1, 20, 30, 69, 70, 80, 101, 200])
        for (const rows of [1, 7, 8, 12, 24, 60]) {
          const lines = topLines(state, { columns, rows, paint: plain });
          expect([columns, rows, lines.length, lines.filter((line) => displayWidth(line) > columns)]).toEqual([columns, rows, rows, []]);
        }
  });

  it("shows calls that wait, live sessions and decisions, the newest first", () => {
    const text = shown(stateOf([approval("a1", "git push")], [decided(1, "rm -rf one"), decided(2, "rm -rf two")]));
    expect(text).toMatch(/WAITING FOR YOU: 1\n> 4 m 12 s\s+claude-code {2}.*git push.*\(pushes: Sure\?\)/);
    expect(text).toMatch(/LIVE SESSIONS: 1\n.*\n {2}codex\s+s-1\s+7\s+2\s+1/);
    expect(text).toMatch(/rm -rf two[\s\S]*rm -rf one/);
  });

  it("writes out what a terminal would act on, in every part", () => {
    const states = [busy, pressed(busy, ["a"]).state, { ...busy, message: HOSTILE }];
    for (const state of states)
      for (const columns of [40, 160]) expect(shown(state, columns).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(shown(busy, 160)).toContain("\\x1b[2J");
  });

  it("uses colours only if they are on", () => {
    const look = { columns: 100, rows: 24 };
    expect(topLines(busy, { ...look, paint: createPaint(true) }).join("")).toContain("\u001b[");
    expect(topLines(busy, { ...look, paint: plain }).join("")).not.toContain("\u001b[");
  });

  it("keeps the selected call on the screen", () => {
    const { state } = pressed(busy, Array<string>(29).fill("\u001b[B"));
    expect(state.selected).toBe("a29");
    expect(shown(state, 160)).toMatch(/^> .* 29 /m);
  });
});

describe("pressKey", () => {
  const two = stateOf([approval("a1", "git push"), approval("a2", "git push --force")]);

  it("answers the call that was shown, also if the list has changed meanwhile", () => {
    const asking = pressed(two, ["j", "a"]).state;
    expect(shown(asking)).toContain('Bash {"command":"git push --force"}');
    const { state, act } = pressed(withWaiting(asking, [approval("a3", "rm")]), ["y"]);
    expect(act).toMatchObject({ verdict: "allow", approval: { id: "a2" } });
    expect(state.question).toBeUndefined();
    expect(pressed(two, ["d", "y"]).act).toMatchObject({ verdict: "deny", approval: { id: "a1" } });
  });

  it("takes no answer without a question, from keys that came at once, or on a screen that is too small", () => {
    expect(pressed(two, ["y"]).act).toBeUndefined();
    expect(pressed(two, ["ay"])).toEqual({ state: two, act: undefined });
    expect(pressed(two, ["a", "n", "y"]).act).toBeUndefined();
    expect(pressed(two, ["a", "\u001b", "y"]).act).toBeUndefined();
    expect(pressed(two, ["a", "y"], { columns: 100, rows: 7 }).act).toBeUndefined();
    expect(pressed(stateOf([]), ["a", "y"]).act).toBeUndefined();
    expect(pressed(two, ["a", "q"]).act).toBe("end");
  });

  it("approves a long call only when its end is on the screen; denies it at once", () => {
    const size = { columns: 40, rows: 10 };
    const long = stateOf([approval("a1", `echo ${"x".repeat(600)}; rm -rf ~`)]);
    const asking = pressed(long, ["a"], size).state;
    expect(shown(asking, 40, 10)).toMatch(/more lines below: press space/);
    expect(shown(asking, 40, 10)).not.toContain("y approve");
    expect(pressed(long, ["a", "y"], size).act).toBeUndefined();
    expect(pressed(long, ["d", "y"], size).act).toMatchObject({ verdict: "deny" });
    const atEnd = ["a", " ", " ", " ", " ", " "];
    expect(shown(pressed(long, atEnd, size).state, 40, 10)).toMatch(/; rm -rf\s+~[\s\S]*y approve/);
    expect(pressed(long, [...atEnd, "y"], size).act).toMatchObject({ verdict: "allow" });
  });
});
