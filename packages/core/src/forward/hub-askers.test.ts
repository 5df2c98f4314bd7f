import { expect, it } from "vitest";
import { HubAskers } from "./hub-askers.js";

const asked = (by: string, reason?: string) => ({ by, reason, asks: [{ by, reason }] });

it("puts the hub's guards in the place of the handler that asked, by its name and its words", () => {
  const askers = new HubAskers();
  expect(askers.namedIn("x")).toBe("x");
  askers.note("hub", "sure? (one); by two", [{ by: "one", reason: "sure?" }, { by: "two" }]);
  const asks = [
    { by: "one", reason: "sure?" },
    { by: "two", reason: undefined },
  ];
  expect(askers.named(asked("hub", "sure? (one); by two"))).toEqual({ by: "one", reason: "sure?", asks });
  for (const other of [asked("hub-2", "sure? (one); by two"), asked("hub", "sure?"), asked("hub")])
    expect(askers.named(other)).toEqual(other);
  expect(askers.namedIn({ session: 1, approval: asked("hub", "sure? (one); by two") })).toMatchObject({ session: 1, approval: { asks } });
  for (const odd of [null, 1, "x", {}, { approval: null }, { approval: { asks: [null] } }]) expect(askers.namedIn(odd)).toBe(odd);
});

it("keeps no more than it may need", () => {
  const askers = new HubAskers();
  const named = (text: string) => askers.named(asked("hub", text)).by;
  askers.note("hub", "x".repeat(10_000), [{ by: "long" }]);
  for (let n = 0; n <= 1_000; n++) askers.note("hub", `${n}`, [{ by: "rule" }]);
  expect(["x".repeat(10_000), "0", "1", "1000"].map(named)).toEqual(["hub", "hub", "rule", "rule"]);
});
