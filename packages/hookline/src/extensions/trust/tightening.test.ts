import { allow, block, createBus, inject } from "@hookline/core";
import { describe, expect, it } from "vitest";
import type { HandlerSource } from "../handler-source.js";
import { registerSource } from "../register-source.js";
import { withoutAllow } from "./tightening.js";

async function decided(answer: unknown) {
  const allowed: string[] = [];
  const source: HandlerSource = {
    name: "project",
    kind: "folder",
    permissions: ["tools.intercept"],
    hooks: [{ event: "tool:before" }],
    handle: async () => answer as never,
    health: () => ({ state: "running" }),
    close: async () => {},
  };
  const bus = createBus({ onAsk: "return", onError: () => {} });
  registerSource(
    bus,
    withoutAllow(source, (event) => allowed.push(event)),
    { onError: () => {} },
  );
  const { verdict, injections } = await bus.decide("tool:before", { tool: { name: "bash", input: {} } });
  return [verdict, injections.length, allowed.length];
}

describe("a project's hook", () => {
  it.each([
    ["an outcome", allow("yes"), ["pass", 0, 1]],
    ["a word", { decision: "allow", reason: "yes" }, ["pass", 0, 1]],
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
    ["be misunderstood", { decision: "Allow" }, ["deny", 0, 0]],
  ])("can %s", async (_, answer, expected) => {
    expect(await decided(answer)).toEqual(expected);
  });
});
