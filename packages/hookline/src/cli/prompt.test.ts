import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createPrompt } from "./prompt.js";

function open() {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = "";
  output.on("data", (chunk) => (shown += chunk));
  return { input, prompt: createPrompt(input, output), shows: (text: string) => expect.poll(() => shown).toContain(text) };
}

describe("createPrompt", () => {
  it("takes nothing for an answer that was typed before the question was there", async () => {
    const { input, prompt, shows } = open();
    input.write("y\n");
    const first = prompt.ask("one? ");
    await shows("one? ");
    input.write("n\ny\n");
    expect(await first).toBe("n");
    const second = prompt.ask("two? ");
    await shows("two? ");
    input.write("no\n");
    expect(await second).toBe("no");
    prompt.close();
  });

  it("has no answer once the input is over", async () => {
    const { input, prompt, shows } = open();
    const first = prompt.ask("one? ");
    await shows("one? ");
    input.end();
    expect([await first, await prompt.ask("two? ")]).toEqual([undefined, undefined]);
    prompt.close();
  });

  it("closes without having asked", () => expect(() => open().prompt.close()).not.toThrow());
});
