import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { HubFile } from "@hookline/core/internal/machine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { until } from "../../../../../test/support/http-hub.ts";

// Real processes of the built command line, around one hub.
const home = createHomeInProcess();
const user = userInfo().username;
const read = <T>(name: string) => JSON.parse(readFileSync(join(home.state, name), "utf8")) as T;

/** Claude Code's hook for an event of a session. */
async function play(session: string, native: string, more: object): Promise<string> {
  const answer = await fetch(`${read<HubFile>("hub.json").url}/api/agents/claude-code/${native}?plain=1`, {
    method: "POST",
    headers: { authorization: `Bearer ${read<{ token: string }>("operator.json").token}`, "content-type": "application/json" },
    body: JSON.stringify({ session_id: session, transcript_path: "/t", cwd: home.folder, hook_event_name: native, ...more }),
  });
  return answer.text();
}
const prompt = (session: string) => play(session, "UserPromptSubmit", { prompt: "hi" });
const act = (session: string, id: string) =>
  play(session, "PreToolUse", { tool_name: "Bash", tool_input: { command: `touch ${id}` }, tool_use_id: id });
const steered = async (session: string) =>
  (await home.run("tail", "-e", "session:steer", "-s", session, "--no-follow", "--json")).out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; payload: { [field: string]: unknown } });

beforeAll(async () => {
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
  for (const session of ["alpha-1", "alpha-2", "beta-1"]) await prompt(session);
  await until(async () => (JSON.parse((await home.run("sessions", "--json")).out) as unknown[]).length === 3);
});
afterAll(() => home.close());

describe("inject", () => {
  it("sends words, or stdin, to the session with that id or beginning, and says how to follow it", async () => {
    const { code, out, err } = await home.run("inject", "beta", "Look", "at the tests.");
    expect([code, out, err]).toEqual([
      0,
      expect.stringMatching(/^\w+\n$/),
      expect.stringContaining("Waiting for the next event of claude-code."),
    ]);
    expect(await home.runWith({ input: "From\na pipe.\n" }, "inject", "beta-1", "-")).toMatchObject({ code: 0 });
    const told = await prompt("beta-1");
    expect(told).toContain(`Message from the operator (${user}), sent through Hookline:\\nLook at the tests.`);
    expect(told).toContain("From\\na pipe.");
    await expect.poll(async () => (await steered("beta-1")).length).toBe(4);
    const [first, , last] = await steered("beta-1");
    expect(first?.payload).toMatchObject({ id: out.trim(), by: user, via: "cli", text: "Look at the tests.", status: "waiting" });
    expect(last?.payload).toMatchObject({ id: out.trim(), status: "delivered" });
    expect((await home.run("show", first?.id ?? "")).out).toContain("Look at the tests.");
    expect((await home.run("tail", "-e", "session:steer", "--no-follow")).out).toContain(`${user}: Look at the tests. → delivered`);
  });

  it("interrupts", async () => {
    expect(await home.run("inject", "beta-1", "--interrupt", "Stop.")).toMatchObject({ code: 0 });
    expect(await act("beta-1", "one")).toMatch(/"permissionDecision":"deny".*operator .*Stop\./);
    expect(await act("beta-1", "two")).toBe("");
  });

  it("says what is wrong, and the next command", async () => {
    const wrong = async (...args: string[]) => {
      const { code, err } = await home.run(...args);
      return [code, err];
    };
    expect(await wrong("inject", "alpha", "x")).toEqual([
      2,
      expect.stringMatching(/beginning of 2 sessions: alpha-2, alpha-1[\s\S]*hookline sessions/),
    ]);
    expect(await wrong("inject", "gamma", "x")).toEqual([1, expect.stringMatching(/begins with "gamma"\.\nRun: hookline sessions/)]);
    expect(await wrong("inject", "beta-1")).toEqual([2, expect.stringContaining("missing required argument 'text'")]);
    expect(await wrong("inject", "beta-1", " ")).toEqual([2, expect.stringMatching(/The text is empty[\s\S]*inject --help/)]);
    expect(await home.runWith({ input: "\n" }, "inject", "beta-1", "-")).toMatchObject({
      code: 2,
      err: expect.stringContaining("no text on stdin"),
    });
    expect(await wrong("inject", "beta-1", "x".repeat(8_001))).toEqual([2, expect.stringContaining("8000 are allowed")]);
    await play("alpha-2", "SessionEnd", { reason: "other" });
    await expect
      .poll(() => wrong("inject", "alpha-2", "x"), { timeout: 60_000 })
      .toEqual([1, expect.stringContaining('The session "alpha-2" has ended.')]);
  });
});

describe("remind", () => {
  it("takes the options of a reminder", async () => {
    const options = ["--ttl", "2", "--tag", "a", "--tag", "b", "--dedupe-key", "k", "--preserve", "--propagate", "all", "--role", "system"];
    expect(await home.run("remind", "alpha-1", ...options, "Mind the gap.")).toMatchObject({ code: 0 });
    const [first] = await steered("alpha-1");
    expect(first?.payload).toMatchObject({
      kind: "remind",
      text: "Mind the gap.",
      reminder: { ttlTurns: 2, tags: ["a", "b"], dedupeKey: "k", preserveOnCompact: true, propagate: "all", roleHint: "system" },
    });
    const words = `Message from the operator (${user}), sent through Hookline:\\nMind the gap.`;
    expect(await prompt("alpha-1")).toContain(words);
    expect(await prompt("alpha-1")).toContain(words);
    expect(await prompt("alpha-1")).not.toContain("Mind");
  });

  it("refuses options that a reminder does not have", async () => {
    const wrong = (...options: string[]) => home.run("remind", "alpha-1", ...options, "x");
    expect(await wrong("--ttl", "0")).toMatchObject({ code: 2, err: expect.stringContaining("whole number of turns above 0") });
    expect(await wrong("--propagate", "everywhere")).toMatchObject({
      code: 2,
      err: expect.stringContaining('"propagate" must be one of all'),
    });
    expect(await wrong("--role", "king")).toMatchObject({ code: 2, err: expect.stringContaining('"roleHint" must be one of system') });
  });
});
