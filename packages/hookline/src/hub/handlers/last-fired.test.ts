import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import { expect, it, onTestFinished } from "vitest";
import { putFiles } from "../../../../../test/support/hook-files.ts";
import { makeEnvelope, until } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import type { HandlersAnswer } from "../protocol.js";

const TOML = ["tool:after", "session:start"]
  .map((event) => `[[rule]]\nname = "on-${event.replace(":", "-")}"\nevent = "${event}"\ndo = "notify"\nmessage = "seen"\n`)
  .join("");

async function handlersOf(hub: Hub): Promise<HandlersAnswer["handlers"]> {
  const answer = await fetch(`${hub.file.url}/api/handlers`, { headers: { authorization: `Bearer ${hub.parts.tokens.operator}` } });
  return ((await answer.json()) as HandlersAnswer).handlers;
}

it("lets nothing that fired have fired never, because the hub was started again", async () => {
  const home = testFolder();
  putFiles(home, { "hookline.toml": TOML });
  for (const name of ["state", "run"]) mkdirSync(join(home, name), { mode: 0o700 });
  const [state, runtime, config] = ["state", "run", "hookline.toml"].map((name) => join(home, name)) as [string, string, string];
  const start = () => startHub({ state, runtime, config, port: 0, onProblem: () => {} });
  const first = await start();
  const accepted = first.parts.ingest.acceptEnvelope(makeEnvelope({ event: "tool:after", payload: { tool: { name: "x", input: {} } } }));
  if ("code" in accepted) throw new Error(accepted.reason);
  await first.parts.ingest.append([accepted]);
  await until(async () => (await handlersOf(first))[0]?.lastAt !== undefined);
  await first.close();
  const second = await start();
  onTestFinished(() => second.close());
  expect(await handlersOf(second)).toMatchObject([
    { name: "on-tool-after", lastAt: expect.any(Number), stats: { calls: 0, neverFired: true } },
    { name: "on-session-start", stats: { calls: 0 } },
  ]);
  expect((await handlersOf(second)).map(({ lastAt, window }) => [lastAt === undefined, window])).toEqual([
    [false, undefined],
    [true, undefined],
  ]);
});
