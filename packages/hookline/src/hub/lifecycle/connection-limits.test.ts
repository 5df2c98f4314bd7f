import { expect, it } from "vitest";
import { connectionLimits } from "./connection-limits.js";

it.each([64, 256, 512, 1_024, 2_048, 20_000, 1_048_576, Number.POSITIVE_INFINITY])(
  "leave room for other files below a limit of %d",
  (limit) => {
    const { line, http, tcp } = connectionLimits(limit);
    const counts = [line, http, tcp];
    expect(counts.every((count) => count >= 8 && count <= 4_096)).toBe(true);
    if (limit >= 512 && limit < Number.POSITIVE_INFINITY)
      expect(line + http + 3 * tcp).toBeLessThanOrEqual(limit - Math.max(256, limit / 4));
  },
);
