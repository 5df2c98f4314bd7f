import { z } from "zod";
import { age, patience, size } from "./amounts.js";
import { filePath, pathPatterns, redactPaths } from "./values.js";

const PORT = "must be a port: a whole number from 0 to 65535";

/** Tables that may occur only once in a file. */
export const tableSchemas = {
  hub: z.strictObject({
    port: z.int(PORT).min(0, PORT).max(65_535, PORT).optional(),
    host: z
      .string("must be an address such as 127.0.0.1")
      .regex(/^[\w.:%-]{1,255}$/, "must be an address such as 127.0.0.1")
      .optional(),
    data: filePath.optional(),
    askTimeout: patience.optional(),
    remoteApprovals: z.boolean("must be true or false").optional(),
  }),
  redact: z.strictObject({ paths: redactPaths.optional() }),
  policy: z.strictObject({ autoAccept: z.literal("all", 'must be "all"').optional() }),
  paths: z.record(
    z.string().regex(/^[\w-]+$/, "must be the name of a set, such as secrets"),
    pathPatterns,
    "must be a table of sets and paths",
  ),
  retention: z.strictObject({ maxAge: age.optional(), maxBytes: size.optional() }),
};
