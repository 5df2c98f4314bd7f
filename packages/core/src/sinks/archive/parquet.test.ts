import { expect, it } from "vitest";
import { batchOf } from "../../../../../test/conformance/envelopes.ts";
import { parquetOf } from "./parquet.js";

it("says which package to install where it is missing", async () => {
  const missing = (name: string) => import(`${name}-that-is-missing`);
  await expect(parquetOf(batchOf(1), missing)).rejects.toMatchObject({
    code: "HL_SINK_IO",
    message: expect.stringContaining("hyparquet-writer, which cannot be loaded"),
    fix: expect.stringContaining("npm install hyparquet-writer@0.17"),
  });
});
