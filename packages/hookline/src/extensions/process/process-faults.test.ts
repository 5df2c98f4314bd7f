import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { doing, guardedBy, isRunning, playExtension, writePlay } from "../../../../../test/support/play-extension.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";

const quick = [{ event: "tool:before", timeoutMs: 700 }];

describe("kill -9", () => {
  it("before a request: the next one is answered by a new process", async () => {
    const extension = playExtension();
    const bus = guardedBy(extension);
    await extension.start();
    const old = extension.pid as number;
    process.kill(old, "SIGKILL");
    await expect.poll(() => isRunning(old)).toBe(false);
    // Asked before we have noticed, it is a crash; afterwards it is answered.
    await expect.poll(async () => (await bus.decide("tool:before", doing("deny"))).reason).toBe("no");
    expect(extension.pid).not.toBe(old);
    expect(extension.health()).toEqual({ state: "running", restarts: 1 });
  });

  it("during a request: a crash, which denies, and a restart", async () => {
    const extension = playExtension();
    const bus = guardedBy(extension);
    const decision = await bus.decide("tool:before", doing("die"));
    expect(decision).toMatchObject({ verdict: "deny", cause: { failure: "crash", cause: { code: "HL_EXTENSION_CRASHED" } } });
    expect(decision.cause?.message).toContain("SIGKILL");
    expect(extension.health().state).toBe("restarting");
    expect(await bus.decide("tool:before", doing("pass"))).toMatchObject({ verdict: "pass" });
    expect(extension.health()).toEqual({ state: "running", restarts: 1 });
  });

  it("after its answer: the answer counts", async () => {
    const bus = guardedBy(playExtension());
    expect(await bus.decide("tool:before", doing("answerAndDie"))).toMatchObject({
      verdict: "deny",
      reason: "last word",
      cause: undefined,
    });
  });

  it("fails every waiting request, and shows its last words", async () => {
    const bus = guardedBy(playExtension());
    await bus.decide("tool:before", doing("pass"));
    const decisions = await Promise.all(["hang", "hang", "exit"].map((what) => bus.decide("tool:before", doing(what))));
    for (const { cause } of decisions) expect(cause).toMatchObject({ failure: "crash" });
    expect(decisions[0]?.cause?.message).toContain("exit code 7");
    expect(decisions[0]?.cause?.message).toContain("out of ideas");
  });

  it("kills the grandchildren of one that died", async () => {
    const bus = guardedBy(playExtension());
    const { reason } = await bus.decide("tool:before", doing("fork"));
    await bus.decide("tool:before", doing("die"));
    await expect.poll(() => isRunning(Number(reason))).toBe(false);
  });

  it("is survived once by a request that may be asked twice", async () => {
    const hooks = [{ event: "tool:before", idempotent: true }];
    const bus = guardedBy(playExtension({ hooks }));
    const mark = join(testFolder(), "mark");
    expect(await bus.decide("tool:before", doing("dieOnce", { mark }))).toMatchObject({ reason: "second time" });
    expect(await bus.decide("tool:before", doing("die"))).toMatchObject({ verdict: "deny", cause: { failure: "crash" } });
  });

  it("again and again: given up after three restarts, still denying, and tried again later", async () => {
    const extension = playExtension({ tuning: { restartBaseMs: 1, retryAfterMs: 400 } });
    const bus = guardedBy(extension);
    for (let i = 0; i < 4; i++) expect(await bus.decide("tool:before", doing("die"))).toMatchObject({ cause: { failure: "crash" } });
    expect(extension.health()).toEqual({ state: "failed", restarts: 3 });
    const refused = await bus.decide("tool:before", doing("pass"));
    expect(refused).toMatchObject({ verdict: "deny", cause: { failure: "crash", cause: { code: "HL_EXTENSION_CRASHED" } } });
    expect(refused.cause?.message).toContain("restarted 3 times without success");
    await expect.poll(async () => (await bus.decide("tool:before", doing("pass"))).verdict).toBe("pass");
  });
});

describe("an extension that", () => {
  it("never answers times out, and is degraded until it does", async () => {
    const extension = playExtension({ hooks: quick });
    await extension.start();
    const bus = guardedBy(extension);
    expect(await bus.decide("tool:before", doing("hang"))).toMatchObject({ verdict: "deny", cause: { failure: "timeout" } });
    expect(extension.health().state).toBe("degraded");
    await bus.decide("tool:before", doing("deny"));
    expect(extension.health().state).toBe("running");
    expect(extension.counts().failures).toEqual({ timeout: 1 });
  });

  it("loops is taken for hung after three timeouts, and replaced", async () => {
    const extension = playExtension({ hooks: quick });
    await extension.start();
    const old = extension.pid as number;
    const bus = guardedBy(extension);
    for (const what of ["loop", "pass", "pass"])
      expect(await bus.decide("tool:before", doing(what))).toMatchObject({ verdict: "deny", cause: { failure: "timeout" } });
    await expect.poll(() => isRunning(old)).toBe(false);
    await expect.poll(async () => (await bus.decide("tool:before", doing("pass"))).verdict).toBe("pass");
  });

  it("answers too late, for the second time or for another request changes nothing, and each is a failure of its own", async () => {
    const extension = playExtension({ hooks: quick });
    await extension.start();
    const bus = guardedBy(extension);
    expect(await bus.decide("tool:before", doing("slow", { ms: 1_000 }))).toMatchObject({ verdict: "deny", cause: { failure: "timeout" } });
    await expect.poll(() => extension.counts().late).toBe(1);
    expect(await bus.decide("tool:before", doing("twice"))).toMatchObject({ verdict: "deny", reason: "first" });
    await expect.poll(() => extension.counts().duplicate).toBe(1);
    expect(extension.health().state).toBe("degraded");
    expect(await bus.decide("tool:before", doing("foreign"))).toMatchObject({ verdict: "deny", cause: { failure: "timeout" } });
    expect(extension.counts()).toMatchObject({ unsolicited: 2, failures: { timeout: 2, protocol_error: 4 } });
  });

  it("writes something else than a message is broken, not slow", async () => {
    const rubbish = [
      "not json",
      '{"jsonrpc":"1.0","id":1,"result":null}',
      "[]",
      "null",
      '{"jsonrpc":"2.0","result":null}',
      "\u0000",
      '{"id":',
    ];
    const extension = playExtension({ hooks: [{ event: "tool:before", timeoutMs: 4_000 }] });
    await extension.start();
    const bus = guardedBy(extension);
    const decisions = await Promise.all(rubbish.map((text) => bus.decide("tool:before", doing("garbage", { text }))));
    for (const decision of decisions)
      expect(decision).toMatchObject({ verdict: "deny", cause: { failure: "protocol_error", cause: { code: "HL_EXTENSION_PROTOCOL" } } });
    expect(extension.counts().malformed).toBe(rubbish.length);
  });

  it.each([
    ["both", "protocol_error"],
    ["neither", "protocol_error"],
    ["error", "crash"],
    ["deep", "invalid_verdict"],
  ])("answers with %s fails as %s at once", async (what, failure) => {
    const decision = await guardedBy(playExtension()).decide("tool:before", doing(what));
    expect(decision).toMatchObject({ verdict: "deny", cause: { failure } });
  });

  it.each([{ kind: "alow" }, { kind: 7 }, { decision: "yes" }, [{ kind: "allow" }, { kind: "block" }]])(
    "answers %j has tried to decide and failed: denied, even when it is open",
    async (result) => {
      const extension = playExtension({ hooks: [{ event: "tool:before", onFailure: "open" }] });
      const decision = await guardedBy(extension).decide("tool:before", doing("word", { result }));
      expect(decision).toMatchObject({ verdict: "deny", cause: { code: "HL_INVALID_VERDICT", failure: "invalid_verdict" } });
    },
  );

  it("answers no in the words of another runtime is heard, even when it is open", async () => {
    const extension = playExtension({ hooks: [{ event: "tool:before", onFailure: "open" }] });
    const bus = guardedBy(extension);
    for (const result of [
      { action: "block", reason: "no" },
      { kind: "deny", reason: "no" },
      { type: "block", message: "no" },
      { denied: "no" },
    ])
      expect(await bus.decide("tool:before", doing("word", { result }))).toMatchObject({ verdict: "deny", reason: "no", cause: undefined });
  });

  it("answers with mutated frames lets nothing through a closed guard", async () => {
    const tuning = { maxFaultsInRow: 100_000, maxSilentTimeouts: 100_000 };
    const extension = playExtension({ hooks: [{ event: "tool:before", timeoutMs: 1_500 }], tuning });
    await extension.start();
    const bus = guardedBy(extension);
    const decisions = await Promise.all(Array.from({ length: 600 }, (_, seed) => bus.decide("tool:before", doing("mutate", { seed }))));
    expect(decisions.filter(({ verdict }) => verdict !== "deny")).toEqual([]);
    expect(decisions.map(({ reason }) => reason)).toContain("mutant");
    expect(new Set(decisions.map(({ cause }) => cause?.failure))).toContain("protocol_error");
    expect(extension.counts().malformed).toBeGreaterThan(100);
    expect(await bus.decide("tool:before", doing("pass"))).toMatchObject({ verdict: "pass" });
  });

  it("sends a frame over 4 MiB is not heard", async () => {
    const extension = playExtension({ hooks: [{ event: "tool:before", timeoutMs: 1_500 }] });
    await extension.start();
    const decision = await guardedBy(extension).decide("tool:before", doing("large"));
    expect(decision).toMatchObject({ verdict: "deny", cause: { failure: "protocol_error" } });
  });

  it("writes nothing but rubbish is ended", async () => {
    const extension = playExtension({ tuning: { maxFaultsInRow: 20 } });
    await extension.start();
    const old = extension.pid as number;
    const text = "rubbish\n".repeat(30);
    const decision = await guardedBy(extension).decide("tool:before", doing("garbage", { text }));
    expect(decision).toMatchObject({ verdict: "deny", cause: { failure: "protocol_error" } });
    expect(isRunning(old)).toBe(false);
  });

  it("floods stderr is read, counted, and its end is kept", async () => {
    const bytes = 8 * 1024 * 1024;
    const extension = playExtension({ hooks: [{ event: "tool:before", timeoutMs: 15_000 }] });
    expect(await guardedBy(extension).decide("tool:before", doing("flood", { bytes }))).toMatchObject({ reason: "flooded" });
    await expect.poll(() => extension.counts().stderrBytes).toBe(bytes + 8);
    expect(extension.stderr()).toHaveLength(64 * 1024);
    expect(extension.stderr().endsWith("x\nthe end\n")).toBe(true);
  });

  it("has too much to do refuses more", async () => {
    const extension = playExtension({ hooks: [{ event: "tool:before", timeoutMs: 1_000 }], tuning: { maxInFlight: 2 } });
    await extension.start();
    const bus = guardedBy(extension);
    const decisions = await Promise.all(["hang", "hang", "pass"].map((what) => bus.decide("tool:before", doing(what))));
    expect(decisions.map(({ cause }) => cause?.failure)).toEqual(["timeout", "timeout", "overloaded"]);
  });

  it("does not read what it is sent is overloaded in the end, and our memory is not", async () => {
    const extension = playExtension({ hooks: quick, tuning: { maxQueuedBytes: 1_000_000, maxSilentTimeouts: 1_000 } });
    await extension.start();
    const bus = guardedBy(extension);
    await bus.decide("tool:before", doing("deaf"));
    const text = "x".repeat(200_000);
    const decisions = await Promise.all(Array.from({ length: 20 }, () => bus.decide("tool:before", doing("echo", { text }))));
    expect(decisions.map(({ verdict }) => verdict)).toEqual(Array(20).fill("deny"));
    expect(decisions.map(({ cause }) => cause?.failure)).toContain("overloaded");
  });

  it("is asked about an event larger than a frame denies", async () => {
    const bus = guardedBy(playExtension());
    const decision = await bus.decide("tool:before", doing("pass", { text: "x".repeat(13 * 1024 * 1024) }));
    expect(decision).toMatchObject({ verdict: "deny", cause: { failure: "protocol_error", cause: { code: "HL_FRAME_TOO_LARGE" } } });
  });
});

describe("an extension that cannot be started", () => {
  const deny = { verdict: "deny" };
  const caused = (code: string, failure = "spawn_error") => ({ ...deny, cause: { failure, cause: { code } } });
  const fails = async (options: Parameters<typeof playExtension>[0]) =>
    guardedBy(playExtension(options)).decide("tool:before", doing("pass"));

  it("because its interpreter is missing", async () => {
    expect(await fails({ command: "no-such-interpreter" })).toMatchObject(caused("HL_EXTENSION_COMMAND"));
    expect(await fails({ command: "./no-such-program" })).toMatchObject(caused("HL_EXTENSION_COMMAND"));
  });

  it("because its script is missing", async () => {
    expect(await fails({ args: ["missing.mjs"] })).toMatchObject(caused("HL_EXTENSION_SCRIPT"));
  });

  it("because it may not be executed", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "run.sh"), "#!/bin/sh\n");
    chmodSync(join(folder, "run.sh"), 0o644);
    expect(await fails({ folder, command: "./run.sh", args: [] })).toMatchObject(caused("HL_EXTENSION_NOT_EXECUTABLE"));
  });

  it("because the interpreter its first line names is missing", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "run.sh"), "#!/no/such/interpreter\n", { mode: 0o755 });
    expect(await fails({ folder, command: "./run.sh", args: [] })).toMatchObject(caused("HL_EXTENSION_COMMAND"));
  });

  it("because its folder was deleted, also while it was running", async () => {
    const folder = testFolder();
    writePlay(folder);
    const bus = guardedBy(playExtension({ folder }));
    expect(await bus.decide("tool:before", doing("pass"))).toMatchObject({ verdict: "pass" });
    rmSync(folder, { recursive: true });
    await bus.decide("tool:before", doing("die"));
    expect(await bus.decide("tool:before", doing("pass"))).toMatchObject(caused("HL_EXTENSION_FOLDER"));
  });

  it("because it ends first, is silent, or speaks another version", async () => {
    const sour = await fails({ args: ["play.mjs", "--sour"] });
    expect(sour).toMatchObject(caused("HL_EXTENSION_START"));
    expect(sour.cause?.message).toContain("cannot find my library");
    expect(await fails({ args: ["play.mjs", "--mute"], tuning: { startTimeoutMs: 300 } })).toMatchObject(caused("HL_EXTENSION_START"));
    expect(await fails({ args: ["play.mjs", "--newer"] })).toMatchObject(caused("HL_EXTENSION_PROTOCOL", "protocol_error"));
  });

  it("passes where its hook is open, and the failure is reported", async () => {
    const hooks = [{ event: "tool:before", onFailure: "open" as const }];
    expect(await fails({ command: "no-such-interpreter", hooks })).toMatchObject({ verdict: "pass" });
  });
});
