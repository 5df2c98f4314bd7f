import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { block, createBus } from "@hookline/core";
import { createTranscript, verifyTranscript } from "@hookline/core/transcript";
import { describe, expect, it } from "vitest";
import type { Fields } from "../text/fields.js";
import { readDraft, toDraft } from "./approvals/edit-draft.js";
import { chooseShown } from "./approvals/shown-approvals.js";
import { rangeOf, toRows } from "./sessions/span-tree.js";
import { lineOf } from "./transcript/check-chain.js";
import { readFile } from "./transcript/read-file.js";

describe("what a person edits of a call", () => {
  const call = { session: { id: "s" }, tool: { name: "Bash", input: { command: "ls", timeout: 3 } } };

  it("is its command, and the rest of the call stays", () => {
    expect(toDraft(call)).toEqual({ kind: "command", text: "ls" });
    expect(readDraft({ kind: "command", text: "pwd" }, call)).toEqual({
      payload: { session: { id: "s" }, tool: { name: "Bash", input: { command: "pwd", timeout: 3 } } },
    });
  });

  it("or its input, or all of it, as JSON that must be right", () => {
    const edit = { tool: { name: "Edit", input: { path: "a" } } };
    expect(toDraft(edit).kind).toBe("input");
    expect(readDraft({ kind: "input", text: '{"path":"b"}' }, edit)).toEqual({ payload: { tool: { name: "Edit", input: { path: "b" } } } });
    expect(readDraft({ kind: "input", text: "{" }, edit)).toHaveProperty("problem");
    expect(toDraft("text")).toEqual({ kind: "payload", text: '"text"' });
  });
});

describe("calls that wait", () => {
  it("are few at first, and an agent that asks a thousand times does not hide another", () => {
    const made = (count: number, app: string, instance: string) =>
      Array.from({ length: count }, (_, index) => ({ id: `${instance}${index}`, source: { app, host: "", pid: 1, instance } }) as never);
    const all = [
      ...Array.from({ length: 12 }, (_, index) => made(80, "evil", `e${index}x`)).flat(),
      ...made(2, "agent", "a"),
      ...made(1, "other", "o"),
    ];
    const { shown, left } = chooseShown(all, 0, ({ id }) => id === "e3x70");
    const ids = shown.map(({ id }) => id);
    expect([ids.length, left]).toEqual([50, [{ app: "evil", count: 960 - 47 }]]);
    expect(ids).toEqual(expect.arrayContaining(["a0", "a1", "o0", "e3x70", "e0x0"]));
    expect(chooseShown(all, 20, () => false)).toEqual({ shown: all, left: [] });
  });
});

describe("spans", () => {
  const span = (id: string, startAt: number, parentId?: string) => ({
    id,
    kind: "tool" as const,
    name: id,
    startAt,
    endAt: startAt + 5,
    eventId: id,
    ...(parentId !== undefined && { parentId }),
  });

  it("stand below their parents, by time; circles and strangers do no harm", () => {
    const rows = toRows([
      span("c", 3, "a"),
      span("b", 9),
      span("a", 1),
      span("d", 2, "c"),
      span("x", 4, "gone"),
      span("y", 5, "z"),
      span("z", 6, "y"),
    ]);
    expect(rows.map(({ span: { id }, depth }) => `${id}${depth}`)).toEqual(["a0", "c1", "d2", "x0", "b0"]);
    expect(rangeOf([span("a", 1), span("b", 9)])).toEqual({ from: 1, to: 14 });
    expect(rangeOf([])).toEqual({ from: 0, to: 1 });
  });

  it("are over when the session has ended after they began, and not before", () => {
    const end = { ...span("end", 5), name: "session:end" };
    const rows = toRows([span("before", 1), end, span("after", 9), span("inner", 2, "before")]);
    expect(rows.map(({ span: { id }, isOver }) => [id, isOver])).toEqual([
      ["before", true],
      ["inner", true],
      ["end", true],
      ["after", false],
    ]);
    // The end of a subagent ends nothing else.
    expect(toRows([span("a", 1), { ...span("b", 2, "a"), name: "session:end" }]).some(({ isOver }) => isOver)).toBe(false);
  });

  it("may be a chain of ten thousand", () => {
    const chain = Array.from({ length: 10_000 }, (_, index) => span(`s${index}`, index, `s${index - 1}`));
    expect(toRows(chain).at(-1)).toMatchObject({ depth: 9_999 });
  });
});

describe("a saved file", () => {
  it("puts the entries of a transcript together, with what was asked and what ran", async () => {
    const at = "2026-01-01T00:00:00.000Z";
    const place = { v: 1, at, id: "e1", event: "tool:before" };
    const asked = { tool: { name: "bash", input: { command: "npm i" } } };
    const out = { tool: { name: "bash", input: { command: "npm i --ignore-scripts" } } };
    const lines = [
      { v: 1, at, type: "open", source: { app: "agent" }, instance: "i" },
      { ...place, type: "hook_call", handler: "safe", stage: "guard", payload: asked },
      { ...place, type: "hook_returned", handler: "safe", stage: "guard", action: "modify", durationMs: 1, round: 0 },
      { ...place, type: "decision", verdict: "pass", modified: true, payload: asked, out, endLoop: false },
    ];
    const text = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{}\n[]\nhalf a li`;
    const { events, numbers, entries, unread } = await readFile(new Blob([text]));
    expect([unread, entries, numbers]).toEqual([3, 4, [[2, 3, 4]]]);
    expect(events).toMatchObject([
      {
        id: "e1",
        event: "tool:before",
        source: { app: "agent" },
        payload: out,
        decision: { verdict: "pass", asked, trail: [{ actor: { name: "safe" }, action: "modify" }] },
      },
    ]);
  });

  it("reads envelopes, and passes over what only looks like one", async () => {
    const envelope = {
      v: 1,
      id: "a",
      at: "2026-01-01T00:00:00.000Z",
      event: "x:y",
      source: { app: "p", host: "", pid: 0, instance: "i" },
      seq: 1,
      payload: {},
      hops: [],
    };
    const lines = [envelope, { ...envelope, source: null }, { ...envelope, session: "s" }, { ...envelope, id: 3 }];
    const { events, unread } = await readFile(new Blob([lines.map((line) => JSON.stringify(line)).join("\n")]));
    expect([events.length, unread]).toEqual([1, 3]);
  });

  /** A file that was closed and opened again. */
  function segments(): string[] {
    const folder = mkdtempSync(join(tmpdir(), "hl-ui-"));
    const path = join(folder, "t.jsonl");
    for (let i = 0; i < 2; i++) {
      const transcript = createTranscript({ path, now: () => 0 });
      const bus = createBus({ source: { app: "agent", instance: `i${i}` } });
      transcript.attach(bus);
      bus.emitSync("agent:step", { i });
      transcript.close();
    }
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    rmSync(folder, { recursive: true });
    return lines;
  }

  it("is found broken where the core's own check finds it broken, and unbroken where it does not", async () => {
    const transcript = createTranscript();
    const bus = createBus({ source: "agent" });
    bus.on("tool:before", ({ payload }) => (payload.tool.name === "rm" ? block("nö \u2028 \ud83d\ude00") : undefined), { name: "no-rm" });
    transcript.attach(bus);
    for (const name of ["rm", "ls", "cat"])
      await bus.decide("tool:before", { tool: { name, input: { b: 1e21, a: [null, 0.1, -0], é: "x" } } });
    const open = encoded(transcript.entries);
    transcript.close();
    const lines = encoded(transcript.entries);
    const changed = (index: number, change: (line: string) => string) => lines.map((line, at) => (at === index ? change(line) : line));
    const files: { readonly [name: string]: readonly string[] } = {
      good: lines,
      open,
      edited: changed(3, (line) => line.replace('"rm"', '"mv"')),
      respaced: changed(3, (line) => line.replace('"v":1,', '"v": 1,')),
      removed: lines.filter((_, at) => at !== 4),
      "first removed": lines.slice(1),
      reordered: [...lines.slice(0, 3), ...lines.slice(3, 5).reverse(), ...lines.slice(5)],
      doubled: [...lines.slice(0, 4), ...lines.slice(3)],
      "no entry": [...lines.slice(0, 4), "{}", ...lines.slice(4)],
      "half a line": [...lines.slice(0, -1), lines.at(-1)?.slice(0, -20) ?? ""],
      "after the end": [...lines, lines[1] ?? ""],
      "two segments": segments(),
      "the first segment removed": segments().slice(3),
      "no closing entry between two segments": segments().filter((_, at) => at !== 2),
    };
    for (const [name, file] of Object.entries(files)) {
      const { chain, broken, numbers } = await readFile(new Blob([file.join("\n")]));
      const core = verifyTranscript(file);
      expect([name, chain.state]).toEqual([name, core.ok ? "unbroken" : "broken"]);
      if (chain.state === "unbroken") expect([chain.entries, chain.isClosed]).toEqual([core.entries, core.closed]);
      if (name === "edited") expect(numbers[(broken ?? 0) - 1]).toContain(4);
      if (name === "good") expect(broken).toBeUndefined();
      if (name === "edited" || name === "removed")
        expect([name, chain]).toEqual([name, expect.objectContaining({ line: core.problems[0]?.line })]);
    }
    expect((await readFile(new Blob(['{"v":1}']))).chain).toEqual({ state: "none" });
  });
});

/** Each entry as a file has it. */
function encoded(entries: readonly object[]): string[] {
  return entries.map((entry) => lineOf(entry as Fields));
}
