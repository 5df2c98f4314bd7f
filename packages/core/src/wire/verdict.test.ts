import { ask, createBus, HookError, modify } from "@hookline/core";
import { expect, it } from "vitest";
import { answerOf, readHubVerdict, readVerdict, verdictFrame } from "./verdict.js";

it("names all that ask, but for those who take it back", async () => {
  const bus = createBus({ onAsk: "return" });
  bus.on("tool:before", () => ask("one"), { name: "rule-one" });
  bus.on("tool:before", () => ask("raw"), { name: "no-raw", match: "tool.input.command == 'raw'" });
  bus.on("tool:before", () => modify({ tool: { input: { command: "cooked" } } }), { name: "cook", match: "tool.input.command == 'raw'" });
  bus.on("tool:before", () => ask("two"), { name: "rule-two" });
  const decision = await bus.decide("tool:before", { tool: { name: "Bash", input: { command: "raw" } } });
  expect(verdictFrame("1", decision)).toMatchObject({
    decision: "ask",
    by: "rule-one",
    verdict: "ask",
    actor: { kind: "guard", name: "rule-one" },
    reason: "one",
    asks: [
      { by: "rule-one", reason: "one" },
      { by: "rule-two", reason: "two" },
    ],
  });
});

it.each([
  ["allow", "deny"],
  ["deny", "allow"],
  ["pass", "deny"],
  ["ask", "allow"],
])("lets nothing through that says both %s and %s, from a hub and from a listener", (verdict, decision) => {
  const frame = { type: "verdict", id: "1", verdict, decision };
  const said = readVerdict(frame);
  const answers = [readHubVerdict(frame) ?? [new HookError("HL_INVALID_VERDICT", "malformed")], (said && answerOf(said)) ?? []];
  expect(answers.map(([answer]) => answer instanceof HookError || ["block", "ask"].includes(Object(answer).kind))).toEqual([true, true]);
});
