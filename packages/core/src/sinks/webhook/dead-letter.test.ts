import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { leaveDeadSocket } from "../../../../../test/support/dead-socket.js";
import type { Envelope } from "../../catalog/envelope.js";
import type { SendResult } from "../sink.js";
import { appendDeadLetter, causeText } from "./dead-letter.js";
import { readDeadLetters } from "./read-dead-letters.js";
import { redeliver } from "./redeliver.js";
import { createWebhookSink } from "./webhook.js";

let folder = "";
let path = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-dead-"));
  path = join(folder, "state", "dead.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const envelope = (id: string, payload: unknown = null): Envelope => ({
  v: 2,
  id,
  seq: 0,
  at: "2026-01-01T00:00:00.000Z",
  event: "agent:start",
  source: { app: "test", host: "", pid: 0, instance: "i" },
  payload,
  hops: [],
});

const append = (id: string, payload?: unknown) =>
  appendDeadLetter(path, { at: "2026-01-01T00:00:00.000Z", url: "https://example.com/", cause: "no", envelopes: [envelope(id, payload)] });
const ids = () => [...readDeadLetters(path)].map((line) => ("letter" in line ? line.letter.envelopes[0]?.id : "?"));
const sinkThat = (send: (id: string) => SendResult["status"] | Promise<SendResult["status"]>) => ({
  send: async ([first]: readonly Envelope[]) => ({ status: await send(first?.id ?? ""), cause: "told so" }) as SendResult,
});

describe("a dead-letter file", () => {
  it("is the owner's alone under any umask, with its folder, and is made so if it was not", () => {
    const before = process.platform === "win32" ? 0 : process.umask(0);
    try {
      append("a");
      expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
      chmodSync(path, 0o666);
      append("b");
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  it("is refused in a folder open to everyone, at once, and behind a link", () => {
    mkdirSync(dirname(path));
    chmodSync(dirname(path), 0o1777);
    const refused = expect.objectContaining({ code: "HL_DEAD_LETTER" });
    expect(() => createWebhookSink({ url: "https://example.com/", deadLetter: path })).toThrow(refused);
    expect(() => append("a")).toThrow(refused);
    chmodSync(dirname(path), 0o700);
    writeFileSync(join(folder, "victim"), "");
    symlinkSync(join(folder, "victim"), path);
    expect(() => append("a")).toThrow(refused);
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe("");
  });

  it("gives back what was put in, line by line, also lines longer than a read", () => {
    const payloads = ["x\ny", { long: "é".repeat(200_000) }, "\u2028 \ud800"];
    for (const [index, payload] of payloads.entries()) append(String(index), payload);
    expect([...readDeadLetters(path)].map((line) => "letter" in line && line.letter.envelopes[0]?.payload)).toEqual(payloads);
  });

  it("does not lose a letter behind half a line, nor hide the others behind a bad one", () => {
    append("a");
    appendFileSync(path, '{"at":"2026');
    append("b");
    appendFileSync(path, 'null\n{"at":"","url":"","cause":"","envelopes":[{"id":"hunter22"}]}\n\n');
    expect(ids()).toEqual(["a", "?", "b", "?", "?"]);
    const problems = [...readDeadLetters(path)].flatMap((line) => ("problem" in line ? [line.problem.message] : []));
    expect(problems[0]).toContain(`${path}:2`);
    expect(problems.join()).not.toContain("hunter22");
  });

  it("says what stands behind a cause, and reads any", () => {
    const inner = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    expect(causeText(new Error("given up", { cause: inner }))).toBe("given up (ECONNREFUSED: refused)");
    const circle: { message: string; cause?: unknown } = { message: "round" };
    circle.cause = circle;
    expect(causeText(circle)).toMatch(/^round( \(round){4}\){4}$/);
    expect([causeText("text"), causeText(undefined), causeText(null)]).toEqual(["text", "undefined", "null"]);
  });

  it("is empty when it is not there", async () => {
    expect(ids()).toEqual([]);
    expect(
      await redeliver(
        path,
        sinkThat(() => "sent"),
      ),
    ).toEqual({ sent: 0, kept: 0, malformed: 0 });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("redeliver", () => {
  it("keeps what fails again and what it cannot read, byte for byte and in order", async () => {
    for (const id of ["a", "b", "c"]) append(id);
    appendFileSync(path, Buffer.from([0xff, 0xfe, 0x0a]));
    append("d");
    const lines = readFileSync(path, "latin1").split("\n");
    const report = await redeliver(
      path,
      sinkThat((id) => (id === "b" || id === "d" ? "failed" : "sent")),
    );
    expect(report).toEqual({ sent: 2, kept: 2, malformed: 1 });
    expect(readFileSync(path, "latin1").split("\n")).toEqual([lines[1], lines[3], lines[4], ""]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(["dead.jsonl"]);
  });

  it("stops at a receiver that cannot be reached, and says why", async () => {
    const tried: string[] = [];
    for (const id of ["a", "b", "c"]) append(id);
    const report = await redeliver(
      path,
      sinkThat((id) => (tried.push(id) === 1 ? "sent" : "retry")),
    );
    expect(report).toEqual({ sent: 1, kept: 2, malformed: 0, stoppedBy: "told so" });
    expect([tried, ids()]).toEqual([
      ["a", "b"],
      ["b", "c"],
    ]);
  });

  it("keeps letters that arrive meanwhile, and half a line at the end", async () => {
    append("a");
    const arriving = sinkThat((id) => {
      if (id !== "a") return "failed";
      append("late");
      appendFileSync(path, '{"half');
      return "sent";
    });
    expect(await redeliver(path, arriving)).toMatchObject({ sent: 1 });
    expect(ids()).toEqual(["late", "?"]);
    expect(readFileSync(path, "utf8").endsWith('{"half\n')).toBe(true);
  });

  it("leaves the file as it was when the sink throws", async () => {
    append("a");
    const before = readFileSync(path, "utf8");
    const throwing = { send: () => Promise.reject(new Error("broken")) };
    expect(await redeliver(path, throwing)).toEqual({ sent: 0, kept: 1, malformed: 0 });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("runs once at a time, and a crash does not block it forever", async () => {
    append("a");
    const inner: unknown[] = [];
    const nested = sinkThat(async () => {
      inner.push(
        await redeliver(
          path,
          sinkThat(() => "sent"),
        ).catch((error: unknown) => error),
      );
      return "failed" as const;
    });
    await redeliver(path, nested);
    expect(inner).toEqual([expect.objectContaining({ code: "HL_DEAD_LETTER" })]);
    mkdirSync(`${path}.lock`);
    await leaveDeadSocket(join(`${path}.lock`, "alive.sock"));
    expect(
      await redeliver(
        path,
        sinkThat(() => "sent"),
      ),
    ).toMatchObject({ sent: 1 });
  });
});
