import { setTimeout as sleep } from "node:timers/promises";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { expect, it, onTestFinished } from "vitest";
import { HubProcess } from "../conformance-clients/hub-process.ts";
import { startOtlpReceiver } from "../support/otlp-receiver.ts";

it("a hub sends what agents did as a trace, without secrets, and goes on after a restart", async () => {
  const receiver = await startOtlpReceiver();
  onTestFinished(receiver.close);
  const hub = new HubProcess(`[[sink]]
type = "otlp"
url = "${receiver.url}"
compression = "gzip"
content = true

[[rule]]
name = "no-rm"
event = "tool:before"
match = "tool.input.command =~ 'rm -rf'"
do = "block"
message = "Not here."
`);
  onTestFinished(() => hub.close());
  await hub.start();

  async function run(act: (bus: ReturnType<typeof createBus>) => Promise<unknown>): Promise<void> {
    const bus = createBus({ source: "my-agent" });
    const connection = connectToHub(bus, { folder: hub.home.state, gates: { timeoutMs: 30_000 } });
    await until(() => connection.state === "attached");
    await act(bus);
    await connection.close();
  }

  const session = { id: "traced" };
  const secret = `ghp_${"a1B2".repeat(9)}`;
  await run(async (bus) => {
    bus.emit("session:start", { session, agent: { name: "coder" } });
    bus.emit("agent:start", { session });
    await bus.runTool({ session, tool: { name: "bash", callId: "c1", input: { command: `rm -rf / # ${secret}` } } }, () => "ran");
  });
  await until(() => receiver.spans.some(({ name }) => name === "guard no-rm"));
  await hub.restart();
  await run(async (bus) => bus.emit("session:end", { session }));
  await until(() => receiver.spans.some(({ name }) => name.startsWith("session")));

  const [denied] = receiver.spans.filter(({ name }) => name === "execute_tool bash");
  const ended = receiver.spans.find(({ name }) => name.startsWith("session"));
  expect(denied).toMatchObject({
    status: { code: 2, message: "Not here." },
    attributes: { "error.type": "blocked", "hookline.decided_by": "no-rm" },
  });
  expect(ended?.traceId).toBe(denied?.traceId);
  expect(JSON.stringify(receiver.spans)).toContain("[redacted");
  expect(JSON.stringify(receiver.spans)).not.toContain("a1B2a1B2");
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(50);
}
