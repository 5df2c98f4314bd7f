import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { createThread } from "./thread.js";

/** Answers with what it gets. Asked for "die", it throws where nothing catches it. */
const WORKER = `import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ call, given }) => {
  if (given === "die") throw new Error("it died");
  parentPort.postMessage({ call, made: given });
});
`;

it("answers after it died: the end of the old thread is not that of the new one", async () => {
  const file = join(testFolder(), "worker.mjs");
  writeFileSync(file, WORKER);
  const thread = createThread<string, string>(pathToFileURL(file), (why) => new Error(why));
  onTestFinished(() => thread.close());
  expect(await thread.ask("one")).toBe("one");
  // The next question is asked at once, before the old thread has exited.
  const next = thread.ask("die").catch((error: Error) => [error.message, thread.ask("two")] as const);
  const [why, answer] = (await next) as readonly [string, Promise<string>];
  expect([why, await answer]).toEqual([expect.stringContaining("it died"), "two"]);
});
