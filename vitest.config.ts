import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const source = (path: string) => fileURLToPath(new URL(`./packages/core/src/${path}`, import.meta.url));

/** The files that take longest. Begun last, one of them would run alone at the end while the other cores have nothing to do. */
const LONGEST = [
  "test/ui/page",
  "agents/client/write-client",
  "hub/agents/agent-effects",
  "test/faults/faults",
  "cli/service/managed",
  "cli/agents/attach-managed",
  "cli/next-commands",
  "cli/protect/protect",
  "test/ui/past",
  "test/ui/",
  "cli/commands/down",
  "cli/cli.test",
  "cli/agents/",
  "extensions/process/process-faults",
  "extensions/command/command-source",
  "hub/approvals/one-approval",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => LONGEST.findIndex((part) => moduleId.includes(part)) >>> 0;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Tests that leave nothing behind in their process: they share it, and load each module once. */
const SHARING = ["packages/core/src", "packages/hookline/src", "packages/ui/src"];
const sharing = SHARING.map((folder) => `${folder}/**/*.test.ts`);
// They need a NATS server and minutes: npm run test:fleet. Floods and kills take long: npm run test:mcp.
const long = ["**/node_modules/**", "test/fleet/**", "test/mcp/long/**"];

// Tests read the sources; test/package/ alone looks at what was built.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@hookline\/core$/, replacement: source("index.ts") },
      { find: /^@hookline\/core\/(internal\/\w+)$/, replacement: source("$1.ts") },
      {
        find: /^@hookline\/core\/(remind|text|transcript|sinks|forward|extension|internal|adapters\/[\w-]+)$/,
        replacement: source("$1/index.ts"),
      },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: "sharing", include: sharing, exclude: long, isolate: false } },
      {
        extends: true,
        test: { name: "alone", include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"], exclude: [...long, ...sharing] },
      },
    ],
    environment: "node",
    // Much of the time goes by waiting for processes, disks and time limits: two files more than the two cores of CI use it.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Generous, because a loaded machine is slow and no test depends on speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Hundreds of processes load the same files: compiled once, they start a fifth sooner.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)) },
  },
});
