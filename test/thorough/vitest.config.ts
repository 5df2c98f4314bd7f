import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

// Its own files instead of the projects of `npm test`.
const { projects: _, ...shared } = base.test ?? {};

// Every combination, where `npm test` tries each value once.
export default defineConfig({
  ...base,
  test: {
    ...shared,
    include: [
      "packages/hookline/src/agents/client/write-client.test.ts",
      "packages/hookline/src/hub/agents/agent-effects.test.ts",
      "packages/hookline/src/hub/agents/refused-content.test.ts",
      "test/conformance-clients/*.test.ts",
      "test/ui/*.test.ts",
    ],
    env: { ...shared.env, HOOKLINE_THOROUGH: "1" },
  },
});
