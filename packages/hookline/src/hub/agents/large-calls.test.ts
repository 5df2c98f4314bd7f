import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startHub } from "hookline/hub";
import { createCallReader } from "hookline/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";

const LARGE = 300_000;
const padding = `"padding":"${"x".repeat(LARGE)}"`;
const callWith = (input: string) => `{"session_id":"s","tool_name":"Bash","cwd":"/","tool_input":${input}}`;

/** A server whose answer is what the reader made of the body. */
async function reading() {
  const reader = createCallReader();
  const server = createServer(async (incoming, outgoing) => outgoing.end(JSON.stringify(await reader.read(incoming))));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.close();
    await reader.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read = async (body: string | Uint8Array<ArrayBuffer>) =>
    (await fetch(url, { method: "POST", body })).json() as Promise<Record<string, unknown>>;
  return { read, counts: reader.counts };
}

describe("a large call of an agent", () => {
  it("is read in a thread of its own, to the same result as a small one", async () => {
    const { read, counts } = await reading();
    const input = { command: "é ☃ 😀 \n", list: [1, null, true, { a: "b" }] };
    const written = JSON.stringify(input);
    const small = await read(callWith(written));
    expect(counts).toEqual({ here: 1, thread: 0 });
    const large = await read(callWith(written.replace("{", `{${padding},`)));
    expect(counts).toEqual({ here: 1, thread: 1 });
    expect(large).toMatchObject({ payload: { session_id: "s", tool_input: { list: input.list, command: input.command } } });
    expect({ ...(large.payload as object), tool_input: 0 }).toEqual({ ...(small.payload as object), tool_input: 0 });
  });

  it.each([
    ["a key twice", callWith(`{${padding},"a":1,"\\u0061":2}`), "a key twice"],
    ["__proto__", callWith(`{${padding},"__proto__":{}}`), '"__proto__"'],
    ["61 levels", callWith(`{${padding},"a":${"[".repeat(61)}${"]".repeat(61)}}`), "deeper than 60 levels"],
    ["45,000 values", callWith(`{${padding},"a":[${"1,".repeat(45_000)}1]}`), "more than 45,000 values"],
    ["no JSON", `${callWith(`{${padding}}`)}}`, "not JSON"],
    ["a list", `[${callWith(`{${padding}}`)}]`, "not a JSON object"],
    ["a byte order mark", `\ufeff${callWith(`{${padding}}`)}`, "byte order mark"],
    ["what is not UTF-8", Buffer.concat([Buffer.from(callWith(`{${padding}}`)), Buffer.from([0xff])]), "not UTF-8"],
    ["nothing but spaces", " ".repeat(LARGE), "empty"],
    ["9 MB", " ".repeat(9_000_000), "larger than 8388608 bytes"],
  ])("with %s cannot be judged, and says why", async (_, body, why) => {
    const { read, counts } = await reading();
    expect(await read(body)).toMatchObject({ fault: { message: expect.stringContaining(why) } });
    expect(counts.here).toBe(0);
  });

  it("is judged whole: a guard sees the last of eight million characters", async () => {
    const hub = await startHub({ state: join(testFolder(), "state"), port: 0, onProblem: () => {} });
    onTestFinished(() => hub.close());
    hub.parts.bus.on("tool:before", ({ payload }) => {
      const { content } = payload.tool.input as { readonly content: string };
      return content.endsWith("the end") ? { deny: "seen to the end" } : undefined;
    });
    const headers = { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" };
    const post = async (content: string) => {
      const body = JSON.stringify({ session_id: "s", tool_name: "Write", tool_input: { file_path: "/tmp/x", content }, cwd: "/" });
      return (await fetch(`${hub.file.url}/api/agents/claude-code/PreToolUse?plain=1`, { method: "POST", headers, body })).text();
    };
    expect(await post(`${"x".repeat(8_000_000)} the end`)).toContain("seen to the end");
    expect(await post(`${"x".repeat(8_000_000)} no end`)).toBe("");
  });
});
