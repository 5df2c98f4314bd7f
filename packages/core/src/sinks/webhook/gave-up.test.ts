import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { readDeadLetters } from "@hookline/core/internal/sinks";
import { connectSink, createWebhookSink } from "@hookline/core/sinks";
import { expect, it } from "vitest";

it("what a webhook never took is in the dead-letter file, once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-gave-up-"));
  const server = createServer((_request, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const deadLetter = join(folder, "letters.jsonl");
    const sink = createWebhookSink({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, deadLetter });
    const bus = createBus();
    const connection = connectSink(bus, sink, { retry: { maxAttempts: 2, baseMs: 1 }, onError: () => {} });
    bus.emit("agent:start", { session: { id: "s1" } });
    await connection.flush();
    const { accepted, sent, dropped } = await connection.close();
    expect([accepted, sent, dropped.retry_exhausted ?? dropped.failed]).toEqual([1, 0, 1]);
    const letters = [...readDeadLetters(deadLetter)];
    expect(letters).toHaveLength(1);
    expect(letters[0]).toMatchObject({ letter: { envelopes: [{ event: "agent:start" }] } });
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
