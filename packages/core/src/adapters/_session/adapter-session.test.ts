import { expect, it } from "vitest";
import { createBus } from "../../bus/bus.js";
import { inject } from "../../catalog/outcomes.js";
import { AdapterSession } from "./adapter-session.js";
import { keepRecent } from "./keep-recent.js";

it("keeps the newest entries", () => {
  const map = new Map<string, number>();
  for (const [value, key] of ["a", "b", "a", "c", "d"].entries()) keepRecent(map, key, value, 3);
  expect([...map]).toEqual([
    ["a", 2],
    ["c", 3],
    ["d", 4],
  ]);
});

it("gives up the oldest texts that no model took", async () => {
  const bus = createBus();
  bus.on("tool:before", ({ payload }) => inject(`note ${payload.tool.callId}.`));
  const session = new AdapterSession(bus);
  for (let call = 0; call < 1_001; call++) await session.decide({ name: "shell", callId: String(call), input: {} });
  const notes = session.takeNotes() ?? "";
  expect(notes).toContain("note 1000.");
  expect(notes).toContain("note 1.");
  expect(notes).not.toContain("note 0.");
});
