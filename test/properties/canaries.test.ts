import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { block, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { startHub } from "hookline/hub";
import { expect, it, onTestFinished } from "vitest";
import { canaries } from "../support/canaries.js";
import { testFolder } from "../support/test-folder.js";

it(`lets none of ${canaries.length} kinds of secret out of the process, wherever it stands`, async () => {
  const folder = testFolder();
  const state = join(folder, "state");
  const config = join(folder, "hookline.toml");
  writeFileSync(config, `[[sink]]\ntype = "jsonl"\nname = "file"\npath = "${join(folder, "sink.jsonl")}"\nredactSecrets = false\n`);
  const hub = await startHub({ state, port: 0, config, onProblem: (text) => expect.fail(text) });
  onTestFinished(() => hub.close());
  const bus = createBus({ source: "agent", onError: () => {} });
  const line = connectToHub(bus, { folder: state });
  onTestFinished(async () => void (await line.close()));
  await expect.poll(() => line.state).toBe("attached");

  for (const [before, secret, after] of canaries) {
    const text = before + secret + after;
    const off = bus.on("tool:before", () => block(`refused: ${text}`));
    await bus.decide("tool:before", { tool: { name: "bash", input: { command: text, list: [text], deep: { er: { text } }, [text]: 1 } } });
    off();
    bus.emit("tool:after", { tool: { name: "bash", input: {}, output: text }, status: "failed", error: new Error(text) } as never);
    bus.emit("myapp:context", {
      env: { MY_TOKEN: secret, HARMLESS: text },
      headers: [["authorization", secret], { name: "cookie", value: secret }],
      argv: ["login", "--password", secret, text],
      apiKey: secret,
      asJson: JSON.stringify({ output: text }),
    });
  }
  expect(await line.flush(20_000)).toBe(true);
  expect(line.counters).toMatchObject({ acked: canaries.length * 3, dropped: {} });
  await hub.close();

  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const kept = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
  expect(kept).toContain("myapp:context");
  // Multi-line keys are looked for by their longest line, however it was escaped.
  const tell = (secret: string): string => secret.split("\n").sort((a, b) => b.length - a.length)[0] as string;
  expect(canaries.filter(([, secret]) => kept.includes(tell(secret))).map(([before, secret]) => before + secret)).toEqual([]);
});
