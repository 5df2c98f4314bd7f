import * as fc from "fast-check";
import { expect, it } from "vitest";
import { copyJsonSafe } from "../text/json-safe.js";
import { payloadText } from "./payload-text.js";

it("is the JSON of a safe copy, whatever the payload is made of", () => {
  const strange = fc.constantFrom(
    undefined,
    1n,
    Number.NaN,
    Symbol("s"),
    new Map([[1, 2]]),
    new Date(0),
    () => 1,
    new Error("e"),
    Buffer.from("b"),
  );
  const values = fc.oneof(
    fc.object({ values: [fc.string(), fc.double({ noNaN: true }).map((n) => n + 0), strange] }),
    strange,
    fc.array(strange),
  );
  fc.assert(
    fc.property(values, (value) => {
      expect(payloadText(value)).toBe(JSON.stringify(copyJsonSafe(value)));
    }),
    { numRuns: 500 },
  );
});

it("never throws", () => {
  let looks = 0;
  const fickle = {
    get value() {
      if (++looks > 1) throw new Error("not twice");
      return 1;
    },
  };
  expect(JSON.parse(payloadText(fickle))).toMatchObject({ value: { $hookline: "unreadable" } });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(payloadText(proxy)).toContain("unreadable");
});
