import { describe, expect, it } from "vitest";
import { Positions } from "./positions.js";

const at = ({ shipped, sent, confirmed }: Positions) => [shipped, sent, confirmed];

function begun(confirmed = 0): Positions {
  const positions = new Positions();
  positions.begin(confirmed);
  return positions;
}

describe("positions of a host", () => {
  it("advance with what arrives, in order", () => {
    const positions = begun(10);
    const [first, second] = [positions.ship(20), positions.ship(30)];
    expect(at(positions)).toEqual([30, 10, 10]);
    expect(positions.arrived(first)).toBe(true);
    expect(positions.arrived(second)).toBe(true);
    expect(positions.confirm(25)).toBe(true);
    expect(at(positions)).toEqual([30, 30, 25]);
  });

  it("do not count a batch whose predecessor was refused", () => {
    const positions = begun();
    const [, second] = [positions.ship(10), positions.ship(20)];
    expect(positions.arrived(second)).toBe(false);
    positions.shipAgain();
    expect(at(positions)).toEqual([0, 0, 0]);
    expect(positions.arrived(positions.ship(10))).toBe(true);
    expect(at(positions)).toEqual([10, 10, 0]);
  });

  it("do not count a batch from before they were set back", () => {
    const positions = begun();
    expect(positions.arrived(positions.ship(10))).toBe(true);
    const old = positions.ship(20);
    positions.setBack(10);
    expect(positions.arrived(old)).toBe(false);
    expect(at(positions)).toEqual([10, 10, 0]);
    expect(positions.setBacks).toBe(1);
  });

  it("take a confirmation that is read before the server's answer, once the answer is there", () => {
    const positions = begun();
    const batch = positions.ship(10);
    expect(positions.confirm(10)).toBe(false);
    expect(at(positions)).toEqual([10, 0, 0]);
    positions.arrived(batch);
    expect(at(positions)).toEqual([10, 10, 10]);
  });

  it("never go back by a confirmation, and are not confirmed beyond what was shipped", () => {
    const positions = begun(5);
    positions.arrived(positions.ship(10));
    expect([positions.confirm(3), positions.confirm(11), positions.confirm(9), positions.confirm(8)]).toEqual([false, false, true, false]);
    expect(at(positions)).toEqual([10, 10, 9]);
    positions.setBack(4);
    expect(positions.confirm(9, { isKept: true })).toBe(false);
    expect(at(positions)).toEqual([4, 4, 4]);
  });

  it("skip what the fleet's store has after all, although the server did not answer", () => {
    const positions = begun();
    const lost = positions.ship(10);
    positions.shipAgain();
    const { course } = positions;
    expect(positions.confirm(11)).toBe(false);
    expect(positions.confirm(10)).toBe(true);
    expect(at(positions)).toEqual([10, 10, 10]);
    expect(positions.course).not.toBe(course);
    expect(positions.arrived(lost)).toBe(false);
    // Also while it is on its way again.
    positions.ship(30);
    positions.shipAgain();
    const again = positions.ship(20);
    expect(positions.confirm(25)).toBe(true);
    expect(positions.arrived(again)).toBe(false);
    expect(at(positions)).toEqual([25, 25, 25]);
  });

  it("take what the fleet hub says after it asked for something again, also beyond that", () => {
    const positions = begun();
    positions.arrived(positions.ship(30));
    // The hub asked, and got it by another way meanwhile.
    positions.setBack(10);
    expect(positions.confirm(31)).toBe(false);
    expect(positions.confirm(30)).toBe(true);
    expect(at(positions)).toEqual([30, 30, 30]);
  });
});
