import { describe, expect, it } from "vitest";
import { agoText, dateText, timeText } from "./times.js";

describe("times", () => {
  const now = new Date(2026, 10, 17, 0, 1).getTime();
  const today = new Date(2026, 10, 17, 0, 0, 30, 5).getTime();
  const before = new Date(2026, 10, 16, 23, 59, 30, 5).getTime();
  const lastYear = new Date(2025, 10, 5, 14, 3, 7).getTime();
  const texts = (say: (at: number) => string) => [today, before, lastYear].map(say);

  it("have their date unless that is today, also a minute after midnight", () => {
    expect(texts((at) => timeText(at, { now }))).toEqual(["00:00:30.005", "2026-11-16 23:59:30.005", "2025-11-05 14:03:07.000"]);
    expect(texts((at) => timeText(at, { now, isShort: true }))).toEqual(["00:00:30", "16 Nov 23:59:30", "2025-11-05 14:03:07"]);
    expect(texts((at) => agoText(at, now))).toEqual(["29 s ago", "2026-11-16 23:59", "2025-11-05 14:03"]);
    expect(dateText(today)).toBe("2026-11-17 00:00:30");
  });
});
