import { spawn } from "node:child_process";
import { once } from "node:events";
import { createStdoutSink, decodeEnvelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../../../../test/conformance/run-program.ts";
import { sinkConformance } from "../../../../../test/conformance/sink-conformance.ts";

// A pipe into another process, which gives back what it reads.
sinkConformance("stdout", () => {
  const reader = spawn("cat", { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(reader, "close");
  let text = "";
  reader.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return {
    sink: createStdoutSink({ stream: reader.stdin }),
    received: async () => {
      reader.stdin.end();
      await ended;
      return text.split("\n").slice(0, -1).map(decodeEnvelope);
    },
    slowPeer: () => reader.kill("SIGSTOP"),
    dispose: async () => {
      reader.kill("SIGKILL");
      await ended;
    },
  };
});

describe("stdout", () => {
  it("prints whole lines", async () => {
    const { code, stdout, stderr } = await runProgram("print-events", ["300"]);
    expect(code).toBe(0);
    const lines = stdout.split("\n").slice(0, -1).map(decodeEnvelope);
    expect(lines.map(({ payload }) => (payload as { index: number }).index)).toEqual(Array.from({ length: 300 }, (_, index) => index));
    expect(JSON.parse(stderr)).toEqual({ accepted: 300, sent: 300, dropped: {} });
  });

  it("is refused while stdout carries a protocol", async () => {
    const { stdout, stderr } = await runProgram("print-events", ["3"], "export HOOKLINE_STDOUT_PROTOCOL=1");
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toEqual({ code: "HL_STDOUT_PROTOCOL" });
    expect(() => createStdoutSink({ isProtocolChannel: true })).toThrow(expect.objectContaining({ code: "HL_STDOUT_PROTOCOL" }));
  });

  it("outlives a reader that goes away, and counts what it could not print", async () => {
    // The pipe's reader ends before anything is written.
    const { code, stderr } = await runProgram("print-events", ["5000"], 'exec 3>&2; { sleep 0.2; "$@" 2>&3; echo $? >&3; } | true; exit');
    const [said = "", status] = stderr.trim().split("\n");
    const { accepted, sent, dropped } = JSON.parse(said) as { accepted: number; sent: number; dropped: { failed?: number } };
    expect({ code, status }).toEqual({ code: 0, status: "0" });
    expect(accepted).toBe(5_000);
    expect(sent + (dropped.failed ?? 0)).toBe(accepted);
    expect(dropped.failed).toBeGreaterThan(0);
  });
});
