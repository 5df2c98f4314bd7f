import { expect, it } from "vitest";
import { createRefusals } from "./refusals.js";

it("records ten refusals a second, and counts the others in the next one", () => {
  let time = 0;
  const told: object[] = [];
  const refused = createRefusals(
    (_, payload) => void told.push(payload),
    () => time,
  );
  const attempt = () => refused({ who: { kind: "agent", agent: "codex" }, action: "POST /api/stop", target: "\u001b[1m", reason: "no" });
  for (let n = 0; n < 25; n++) attempt();
  expect(told).toHaveLength(10);
  expect(told[0]).toEqual({
    operator: "codex",
    by: "the key of attached agents",
    action: "POST /api/stop",
    target: "\\x1b[1m",
    reason: "no",
  });
  time = 1_000;
  attempt();
  attempt();
  expect(told.slice(10)).toMatchObject([{ suppressed: 15 }, {}]);
  expect(told[11]).not.toHaveProperty("suppressed");
});
