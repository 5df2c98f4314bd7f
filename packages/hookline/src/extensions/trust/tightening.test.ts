import { allow, block, createBus, inject, modify, replace } from "@hookline/core";
import { describe, expect, it } from "vitest";
import type { OwnedSource } from "../handler-source.js";
import { registerSource } from "../register-source.js";
import { tighteningOnly } from "./tightening.js";

function play(event: string, answer: unknown) {
  const refused: string[] = [];
  const source: OwnedSource = {
    name: "project",
    kind: "folder",
    permissions: ["tools.intercept", "tools.transform"],
    hooks: [{ event }],
    handle: async () => answer as never,
    health: () => ({ state: "running" }),
    close: async () => {},
  };
  const bus = createBus({ onAsk: "return", onError: () => {} });
  registerSource(
    bus,
    tighteningOnly(source, (what) => refused.push(what)),
    { onError: () => {} },
  );
  return { bus, refused };
}

const call = { tool: { name: "bash", input: { command: "ls" } } };

async function decided(answer: unknown) {
  const { bus, refused } = play("tool:before", answer);
  const { verdict, injections, payload } = await bus.decide("tool:before", call);
  expect(payload.tool).toEqual(call.tool);
  return [verdict, injections.length, refused.length];
}

async function transformed(answer: unknown) {
  const { bus, refused } = play("tool:result", answer);
  const { value, injections } = await bus.transform("tool:result", "as it was", call);
  return [value, injections.length, refused.length];
}

/** Gives one answer at the first read and another afterwards. */
function twoFaced(key: string, first: unknown, then: unknown): object {
  let looks = 0;
  return {
    get [key]() {
      return looks++ === 0 ? first : then;
    },
  };
}

const OUTCOME = Symbol.for("hookline.outcome");
const nested = (levels: number, inner: unknown): unknown => (levels === 0 ? inner : { effects: [nested(levels - 1, inner)] });
const doubling: unknown[] = [];
doubling.push(doubling, doubling, doubling);

describe("a project's hook", () => {
  it.each([
    ["an outcome", allow("yes"), ["pass", 0, 1]],
    ["a word", { decision: "allow", reason: "yes" }, ["pass", 0, 1]],
    ["a word with a capital", { decision: "Allow" }, ["pass", 0, 1]],
    ["a word under another key", { action: "allow" }, ["pass", 0, 1]],
    ["an outcome that came as JSON", { kind: "allow" }, ["pass", 0, 1]],
    ["Claude Code's words", { hookSpecificOutput: { permissionDecision: "allow" } }, ["pass", 0, 1]],
    ["the decision of another bus", { verdict: "allow", allowed: true }, ["pass", 0, 1]],
    ["a word alone", "allow", ["pass", 0, 1]],
    ["one in a list", [inject("a"), allow()], ["pass", 1, 1]],
    ["one that comes then", { reminder: { body: "x" }, then: { decision: "allow" } }, ["pass", 0, 1]],
    ["one among effects", { effects: [{ inject: "a" }, { then: allow() }] }, ["pass", 1, 1]],
  ])("cannot allow: %s", async (_, answer, expected) => {
    expect(await decided(answer)).toEqual(expected);
  });

  it.each([
    ["block", block("no"), ["deny", 0, 0]],
    ["ask", { decision: "ask" }, ["ask", 0, 0]],
    ["say nothing", undefined, ["pass", 0, 0]],
    ["be misunderstood", { decision: "perhaps" }, ["deny", 0, 0]],
    ["block in other words", { action: "block" }, ["deny", 0, 0]],
  ])("can %s", async (_, answer, expected) => {
    expect(await decided(answer)).toEqual(expected);
  });

  it.each([
    ["by a getter", twoFaced("decision", "ask", "allow"), "ask"],
    ["by a getter that first says nothing", twoFaced("decision", undefined, "allow"), "deny"],
    ["by a getter of what comes then", twoFaced("then", { inject: "a" }, { decision: "allow" }), "pass"],
    ["by an outcome that changes", Object.assign(twoFaced("kind", "block", "allow"), { [OUTCOME]: true }), "deny"],
    ["by an outcome of a kind of its own", { [OUTCOME]: true, kind: "ALLOW" }, "deny"],
    ["by a list that changes", new Proxy([inject("a")], { get: lateAllow() }), "pass"],
    ["behind a prototype", Object.create({ decision: "allow" }), "pass"],
    ["behind a proxy", new Proxy({ decision: "allow" }, { ownKeys: () => [] }), "pass"],
    ["in great depth", nested(40, { decision: "allow" }), "deny"],
    ["in itself", doubling, "deny"],
  ])("cannot allow %s", async (_, answer, verdict) => {
    expect((await decided(answer))[0]).toBe(verdict);
  });

  it("denies what it denies, wherever that stands, and what cannot be read", async () => {
    class Denying {
      get decision(): string {
        return "deny";
      }
    }
    const throwing = {
      get decision(): string {
        throw new Error("no");
      },
    };
    for (const answer of [new Denying(), Object.create({ block: "no" }), throwing, { then: { deny: "no" } }, false])
      expect((await decided(answer))[0]).toBe("deny");
  });

  it.each([
    ["an outcome", modify({ tool: { name: "bash", input: { command: "rm" } } }), ["deny", 0, 1]],
    ["a payload", { modify: { tool: { name: "bash", input: {} } } }, ["deny", 0, 1]],
    ["arguments", { args: { command: "rm" }, inject: "a" }, ["deny", 0, 1]],
    ["arguments in other words", { updatedInput: { command: "rm" } }, ["deny", 0, 1]],
    ["arguments as a modification", { action: "modify", input: { command: "rm" } }, ["deny", 0, 1]],
    ["an outcome that came as JSON", { kind: "modify", value: { tool: { name: "bash", input: {} } } }, ["deny", 0, 1]],
    ["the decision of another bus", { verdict: "pass", modified: true, payload: { tool: { name: "bash", input: {} } } }, ["deny", 0, 1]],
    ["arguments beside a yes", [allow(), { args: {} }], ["deny", 0, 2]],
    ["arguments beside a question", { args: {}, decision: "ask" }, ["deny", 0, 1]],
    ["in unknown words", { decision: "allow", newArgs: {} }, ["deny", 0, 0]],
    ["arguments beside a no", { args: {}, decision: "deny" }, ["deny", 0, 1]],
    ["one among effects", { effects: [{ args: {} }, inject("a")] }, ["deny", 0, 1]],
    ["one that changes nothing", { args: { command: "ls" } }, ["pass", 0, 1]],
  ])("cannot rewrite a call, which is denied: %s", async (_, answer, expected) => {
    expect(await decided(answer)).toEqual(expected);
  });

  it.each([
    ["an outcome", replace("x"), ["as it was", 0, 1]],
    ["a result", { result: "x", inject: "a" }, ["as it was", 1, 1]],
    ["a text", "x", ["as it was", 0, 1]],
    ["a result beside something", { result: "x", any: "thing" }, ["as it was", 0, 1]],
    ["a reason and something", { reason: "x", any: "thing" }, ["as it was", 0, 0]],
    ["an object", { any: "thing" }, ["as it was", 0, 1]],
    ["a list", ["x"], ["as it was", 0, 1]],
    ["nothing but a hint", inject("a"), ["as it was", 1, 0]],
    ["nothing", undefined, ["as it was", 0, 0]],
  ])("cannot replace a result: %s", async (_, answer, expected) => {
    expect(await transformed(answer)).toEqual(expected);
  });

  it("is told once of each kind", async () => {
    const { bus, refused } = play("tool:before", [allow(), { args: {} }]);
    for (let i = 0; i < 3; i++) await bus.decide("tool:before", call);
    expect(refused).toHaveLength(2);
  });
});

/** Its first element is another one when it is read a second time. */
function lateAllow(): (list: object, key: string | symbol) => unknown {
  let looks = 0;
  return (list, key) => (key === "0" && looks++ > 0 ? allow() : Reflect.get(list, key));
}
