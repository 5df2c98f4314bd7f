import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DecisionSummary, type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore } from "hookline/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Rule } from "../../rules/rule.js";
import { backtest } from "./backtest.js";

const DAY_MS = 86_400_000;
const START = Date.parse("2026-03-01T12:00:00.000Z");
let folder = "";
let store = "";
let doubtful = "";
let count = 0;

function event(
  command: unknown,
  more: { readonly decision?: DecisionSummary; readonly payload?: object; readonly tool?: string; readonly event?: string } = {},
): Envelope {
  const { decision, payload = {}, tool = "Bash", event: name = "tool:before" } = more;
  count++;
  return {
    ...{ v: 2, id: `e${count}`, seq: 0, at: new Date(START + count * 1_000).toISOString(), event: name, hops: [] },
    source: { app: "claude-code", host: "h", pid: 0, instance: "claude-code" },
    session: { id: "s1" },
    payload: { session: { id: "s1" }, tool: { name: tool, input: { command } }, ...payload },
    ...(decision !== undefined && { decision }),
  };
}

function decided(verdict: DecisionSummary["verdict"], rule: string, action: string, more: Partial<DecisionSummary> = {}): DecisionSummary {
  const step = { actor: { kind: "rule", name: rule, owner: "rules" }, stage: "guard", round: 0, action } as const;
  return { verdict, by: rule, modified: false, endLoop: false, trail: [step], ...more };
}

const rule = (name: string, match: string, more: Partial<Rule> = {}): Rule => ({
  name,
  events: ["tool:before"],
  do: "block",
  match,
  ...more,
});
const noRm = rule("no-rm", "tool.input.command =~ '^rm '");
const askPush = rule("ask-push", "tool.input.command =~ '^git push'", { do: "ask" });
const readsOnly = rule("no-etc", "tool.input.path =~ '^/etc/'", { tool: "Read" });

const hook = { actor: { kind: "hook", name: "h" }, stage: "guard", round: 0, action: "deny" } as const;
const cut = { $hookline: "truncated", bytes: 900_000, text: "echo " };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hl-backtest-"));
  store = join(folder, "events.db");
  const events = [
    event("ls", { decision: { verdict: "deny", modified: false, endLoop: false, trail: [hook] } }),
    event("rm -rf build", { decision: { verdict: "pass", modified: false, endLoop: false } }),
    event("rm -rf build"),
    event("rm -rf old", { decision: decided("deny", "no-rm", "deny") }),
    event("git push", { decision: decided("allow", "ask-push", "ask") }),
    event("git push --force", { decision: decided("deny", "old-rule", "deny") }),
    event(cut),
    event("curl -H 'Authorization: [redacted bearer]' x"),
    event("rm -rf [redacted assignment]"),
    event({ $hookline: "redacted" }, { tool: "Grep" }),
    // It was rewritten: the rules are asked about what the agent wanted.
    event("ls -l", {
      decision: decided("pass", "rewriter", "modify", { modified: true, asked: { tool: { name: "Bash", input: { command: "rm x" } } } }),
    }),
    event("", { event: "prompt:submit", payload: { prompt: "hello", imported: { file: "/f" } } }),
    event("", { event: "tool:after" }),
    event("cat key", { event: "tool:after", payload: { tool: { name: "Bash", input: {}, output: "sk-abc and sk-def" } } }),
    event("cat key", { event: "tool:after", payload: { tool: { name: "Bash", input: {}, output: cut } } }),
  ];
  const opened = await openStore(store, { ballastBytes: 0 });
  await opened.append(events.map((envelope) => ({ envelope, body: encodeEnvelope(envelope) })));
  await opened.close();
  doubtful = join(folder, "doubtful.db");
  const other = await openStore(doubtful, { ballastBytes: 0 });
  const calls = [event(cut), event("rm a"), event("ls"), event("mv b c")];
  await other.append(calls.map((envelope) => ({ envelope, body: encodeEnvelope(envelope) })));
  await other.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("backtest", () => {
  it("compares the rules with what rules said when the calls were made", () => {
    const answer = backtest({ store, rules: [noRm, askPush], since: START });
    expect(answer).toMatchObject({ calls: 12, imported: 1, isComplete: true, unreadable: 0, problems: [] });
    // Newly blocked: two "rm -rf build", one with a hidden part that matches all the same, and the call that was rewritten.
    expect(answer.changes).toEqual({ block: 4, ask: 1, rewrite: 0, allow: 0, pass: 0 });
    expect(answer.inconclusive).toBe(3);
    expect(answer.same + answer.inconclusive + 5).toBe(answer.calls);
    expect(answer.examples[0]).toMatchObject({
      about: expect.stringContaining("rm -rf build"),
      times: 2,
      was: "pass",
      now: "block",
      by: "no-rm",
    });
    expect(answer.rules).toMatchObject([
      { name: "no-rm", matched: 5, decided: 5 },
      { name: "ask-push", matched: 2, decided: 2 },
    ]);
    expect(answer.rules[0]?.days).toEqual([{ day: Math.floor(START / DAY_MS) * DAY_MS, matched: 5 }]);
  });

  it("says what would be let through now", () => {
    const answer = backtest({ store, rules: [], since: START });
    expect(answer.changes).toMatchObject({ pass: 4 });
    expect(answer.examples.map(({ was, verdict }) => [was, verdict])).toEqual(
      expect.arrayContaining([
        ["block", "deny"],
        ["ask", "allow"],
        ["rewrite", "pass"],
      ]),
    );
  });

  it("never says that a call whose content is hidden or cut would pass", () => {
    for (const { isInconclusive, now, about } of backtest({ store, rules: [noRm], since: START, examples: 100 }).examples)
      if (/redacted|\$hookline/.test(about)) expect(isInconclusive === true || now === "block").toBe(true);
    // A rule that does not read what is hidden, or is for another tool, is sure.
    expect(backtest({ store, rules: [readsOnly], since: START }).inconclusive).toBe(0);
    expect(backtest({ store, rules: [{ name: "all", events: ["tool:before"], do: "ask" }], since: START }).inconclusive).toBe(0);
  });

  it("counts only what the named rules said before", () => {
    const answer = backtest({ store, rules: [noRm], names: ["no-rm"], since: START });
    expect(answer.was).toMatchObject({ block: 1, ask: 0 });
    expect(answer.changes).toMatchObject({ block: 4, pass: 0 });
  });

  it("compares two sets of rules", () => {
    const answer = backtest({ store, rules: [noRm], before: [noRm, askPush], since: START });
    expect(answer.changes).toEqual({ block: 0, ask: 0, rewrite: 0, allow: 0, pass: 2 });
    expect(backtest({ store, rules: [noRm], before: [noRm], since: START }).changes).toMatchObject({ block: 0, pass: 0 });
  });

  it("lists calls that no rule looks at, and rules that never matched", () => {
    const answer = backtest({ store, rules: [readsOnly], since: START });
    expect(answer.unlooked).toEqual([
      { event: "tool:before", tool: "Bash", calls: 10 },
      { event: "tool:before", tool: "Grep", calls: 1 },
      { event: "prompt:submit", tool: "Bash", calls: 1 },
    ]);
    expect(answer.rules).toMatchObject([{ name: "no-etc", matched: 0 }]);
  });

  it("counts the matches of rules that do not decide", () => {
    const notice: Rule = { name: "note", events: ["tool:after"], do: "notify", message: "x" };
    const answer = backtest({ store, rules: [notice, { ...noRm, mode: "shadow" }], since: START });
    expect(answer.rules).toMatchObject([
      { name: "note", matched: 3 },
      { name: "no-rm", matched: 5, decided: 0 },
    ]);
    expect(answer.now.block).toBe(0);
  });

  it("says what is not tried: hooks, and values that are not recorded", () => {
    const prompts: Rule = { name: "prompts", events: ["answer:transform"], do: "replace", find: "a", with: "b" };
    expect(backtest({ store, rules: [noRm, prompts], since: START })).toMatchObject({ byHooks: 1, untried: ["prompts"] });
  });

  it("tries rules on results on the outputs of the record", () => {
    const hide: Rule = { name: "hide", events: ["tool:result"], do: "replace", find: "sk-[a-z]+", with: "[key]" };
    const answer = backtest({ store, rules: [hide], since: START });
    expect(answer).toMatchObject({ untried: [], changes: { rewrite: 1 }, inconclusive: 1 });
    expect(answer.rules).toMatchObject([{ name: "hide", matched: 1, decided: 1, inconclusive: 1 }]);
    expect(answer.examples).toContainEqual(expect.objectContaining({ was: "pass", now: "rewrite", by: "hide" }));
  });

  it("is not sure of rules that depend on a call which the record hides", () => {
    const secondRm: Rule = { ...noRm, name: "second", match: "tool.input.command =~ '^(rm|mv) '", count: 2 };
    // In this session the first call is cut, so the second may be the first or the second match.
    const answer = backtest({ store: doubtful, rules: [secondRm], since: START });
    expect(answer.rules).toMatchObject([{ name: "second", matched: 1, inconclusive: 2 }]);
    expect([answer.calls, answer.inconclusive, answer.now.block]).toEqual([4, 2, 1]);
    const noMv = rule("no-mv", "tool.input.command =~ '^mv '", { mode: "shadow" });
    const after: Rule = { name: "after", events: ["tool:before"], do: "ask", after: "no-mv", match: "tool.input.command =~ '^ls'" };
    expect(backtest({ store: doubtful, rules: [noMv, after], since: START }).rules[1]).toMatchObject({ matched: 0, inconclusive: 2 });
  });

  it("counts with the times of the record", () => {
    const third: Rule = { name: "third", events: ["tool:before"], do: "block", count: 3, within: 60_000, tool: "Bash" };
    const { rules, now } = backtest({ store, rules: [third], since: START });
    expect([rules[0]?.matched, now.block]).toEqual([8, 8]);
    const spread = backtest({ store, rules: [{ ...third, within: 1_000 }], since: START });
    expect(spread.now.block).toBe(0);
    const after: Rule = { name: "after", events: ["tool:before"], do: "ask", after: "no-rm", match: "tool.input.command =~ '^git'" };
    expect(backtest({ store, rules: [{ ...noRm, mode: "shadow" }, after], since: START }).now.ask).toBe(2);
  });

  it("takes the time that was asked for, the newest events, and stops when it is told", () => {
    expect(backtest({ store, rules: [noRm], since: START + 12_500 }).calls).toBe(0);
    expect(backtest({ store, rules: [noRm], since: 0, until: START + 2_500 }).calls).toBe(2);
    expect(backtest({ store, rules: [noRm], since: 0, maxEvents: 3 }).calls).toBe(3);
    expect(backtest({ store, rules: [noRm], since: 0, isStopped: () => true })).toMatchObject({ calls: 0, isComplete: false });
  });

  it("names rules that cannot be used, and leaves the store as it is", () => {
    const before = statSync(store).mtimeMs;
    expect(backtest({ store, rules: [rule("broken", "tool.input.command =~ '('")], since: START }).problems).toEqual([
      expect.stringContaining('"broken"'),
    ]);
    expect(statSync(store).mtimeMs).toBe(before);
  });
});
