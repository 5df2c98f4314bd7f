import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { doing, guardedBy, isRunning, playExtension } from "../../../../../test/support/play-extension.ts";

describe("a process extension", () => {
  it("is spawned at its first event, and answers the next from the same process", async () => {
    const extension = playExtension();
    const bus = guardedBy(extension);
    expect(extension.health()).toEqual({ state: "loaded", restarts: 0 });
    expect(extension.pid).toBeUndefined();
    expect(await bus.decide("tool:before", doing("deny"))).toMatchObject({ verdict: "deny", reason: "no", by: "play-0" });
    const { pid } = extension;
    expect(await bus.decide("tool:before", doing("pass"))).toMatchObject({ verdict: "pass" });
    expect(extension.pid).toBe(pid);
    expect(extension.health()).toEqual({ state: "running", restarts: 0 });
    expect(extension.counts()).toMatchObject({ answered: 2, failures: {} });
  });

  it("is told its name, its hooks and its settings", async () => {
    const extension = playExtension({ config: () => ({ level: 3 }) });
    const { reason } = await guardedBy(extension).decide("tool:before", doing("start"));
    expect(JSON.parse(reason ?? "")).toEqual({
      protocolVersion: 1,
      name: "play",
      hooks: [{ event: "tool:before", timeoutMs: 3_000 }],
      config: { level: 3 },
    });
  });

  it("has many requests in progress, and a slow one delays no other", async () => {
    const bus = guardedBy(playExtension());
    const order: string[] = [];
    const ask = async (what: string, more: object) => {
      const { reason = "" } = await bus.decide("tool:before", doing(what, more));
      order.push(reason);
    };
    await Promise.all([ask("slow", { ms: 300 }), ...Array.from({ length: 64 }, (_, i) => ask("echo", { text: String(i) }))]);
    expect(order.at(-1)).toBe("slow");
    expect(order.slice(0, -1)).toEqual(Array.from({ length: 64 }, (_, i) => String(i)));
  });

  it("understands outcomes with a kind, plain shapes and lists of them", async () => {
    const bus = guardedBy(playExtension());
    const answer = (result: unknown) => bus.decide("tool:before", doing("word", { result }));
    expect(await answer({ kind: "ask", reason: "sure?" })).toMatchObject({ verdict: "ask", reason: "sure?" });
    expect(await answer({ kind: "allow" })).toMatchObject({ verdict: "allow" });
    expect(await answer([{ kind: "inject", value: "be careful" }, { kind: "allow" }])).toMatchObject({ injections: ["be careful"] });
    expect(await answer({ args: { command: "ls" } })).toMatchObject({ modified: true, payload: { tool: { input: { command: "ls" } } } });
    expect(await answer({ kind: "block", endLoop: true })).toMatchObject({ verdict: "deny", endLoop: true });
  });

  it("may greet on stdout before its first frame, which is counted", async () => {
    const extension = playExtension({ args: ["play.mjs", "--greets"] });
    expect(await guardedBy(extension).decide("tool:before", doing("pass"))).toMatchObject({ verdict: "pass" });
    expect(extension.counts()).toMatchObject({ malformed: 1, failures: { protocol_error: 1 } });
  });

  it("sees of our environment what is allowed and what was named, and no terminal", async () => {
    process.env.HOOKLINE_TEST_SECRET = "s3cret";
    process.env.HOOKLINE_TEST_NAMED = "named";
    const bus = guardedBy(playExtension({ env: ["HOOKLINE_TEST_NAMED"] }));
    const seen = JSON.parse((await bus.decide("tool:before", doing("env"))).reason ?? "{}") as { [name: string]: string };
    expect(seen).toMatchObject({ PATH: process.env.PATH, HOOKLINE_TEST_NAMED: "named" });
    expect(seen.HOOKLINE_TEST_SECRET).toBeUndefined();
    expect(seen.NODE_OPTIONS).toBeUndefined();
    expect(await bus.decide("tool:before", doing("tty"))).toMatchObject({ reason: "false" });
  });

  it("answers a request of its own with an error: we have nothing to ask for", async () => {
    const bus = guardedBy(playExtension());
    expect(await bus.decide("tool:before", doing("asks"))).toMatchObject({ reason: 'The host has no method "host.secrets".' });
  });
});

describe("closing", () => {
  it("asks first, and the process ends by itself", async () => {
    const extension = playExtension();
    await extension.start();
    const pid = extension.pid as number;
    await extension.close();
    expect(isRunning(pid)).toBe(false);
    expect(extension.health().state).toBe("stopped");
    await expect(extension.handle({} as never)).rejects.toMatchObject({ code: "HL_EXTENSION_STOPPED", failure: "disabled" });
    await extension.close();
  });

  it("kills one that ignores shutdown, the end of its stdin and SIGTERM, with what waits on it", async () => {
    const extension = playExtension({ args: ["play.mjs", "--stubborn"], tuning: { shutdownTimeoutMs: 100, killAfterMs: 100 } });
    const bus = guardedBy(extension);
    await bus.decide("tool:before", doing("pass"));
    const pid = extension.pid as number;
    const waiting = bus.decide("tool:before", doing("hang"));
    await extension.close();
    expect(isRunning(pid)).toBe(false);
    expect(await waiting).toMatchObject({ verdict: "deny", cause: { failure: "disabled" } });
  });

  it("kills the grandchildren too", async () => {
    const extension = playExtension();
    const { reason } = await guardedBy(extension).decide("tool:before", doing("fork"));
    expect(isRunning(Number(reason))).toBe(true);
    await extension.close();
    await expect.poll(() => isRunning(Number(reason))).toBe(false);
  });

  it("ends one that is still starting", async () => {
    const extension = playExtension({ args: ["play.mjs", "--mute"] });
    const starting = extension.start();
    starting.catch(() => {});
    await sleep(50);
    await extension.close();
    await expect(starting).rejects.toMatchObject({ failure: "spawn_error" });
  });
});
