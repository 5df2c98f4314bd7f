import { expect, it } from "vitest";
import { createBus } from "../bus/bus.js";
import { HubEffects } from "./hub-effects.js";

const frame = { type: "effects", id: "e1", session: { id: "s1" }, injections: ["run the tests"] };
const prompt = { session: { id: "s1" }, prompt: "hi" };

it("confirms again what was told when the confirmation was lost, and tells it once", async () => {
  const bus = createBus();
  const confirmed: string[] = [];
  const effects = new HubEffects(bus, (ids) => void confirmed.push(...ids));
  bus.tap({ dispatched: (event, dispatch) => effects.over(event, dispatch) });
  effects.hear(frame);
  // Sent again before it was told: it still waits, and there is nothing to confirm.
  effects.hear(frame);
  expect(confirmed).toEqual([]);
  expect((await bus.decide("prompt:submit", prompt)).injections).toEqual(["run the tests"]);
  effects.hear(frame);
  expect(confirmed).toEqual(["e1", "e1"]);
  expect((await bus.decide("prompt:submit", prompt)).injections).toEqual([]);
});
