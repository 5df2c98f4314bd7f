import { defineConfig } from "vitest/config";
import base from "../../../vitest.config.ts";

// Projects have their own lists of files, which would count instead of the one below.
const { projects: _, ...test } = base.test ?? {};

// The gateways under faults: floods, lies, huge messages, kills. One file at a time: each starts hubs and servers.
export default defineConfig({
  ...base,
  test: { ...test, include: ["test/mcp/**/*.test.ts"], exclude: ["**/node_modules/**"], maxWorkers: 1 },
});
