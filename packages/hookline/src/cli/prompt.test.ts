import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createPrompt } from "./prompt.js";

function open() {
  const input = new PassThrough();
  const output = new PassThrough();
  return { input, output, prompt: createPrompt(input, output) };
}

describe("createPrompt", () => {
  it("takes nothing for an answer that was typed before the question was there", async () => {
    const { input, output, prompt } = open();
    const first = prompt.ask("one? ");
    input.write("y\ny\n");
    expect(await first).toBe("y");
    const second = prompt.ask("two? ");
    input.write("n\n");
    expect(await second).toBe("n");
    expect(String(output.read())).toMatch(/^one\? [\s\S]*two\? /);
    prompt.close();
  });

  it("has no answer once the input is over", async () => {
    const { input, prompt } = open();
    const first = prompt.ask("one? ");
    input.end();
    expect([await first, await prompt.ask("two? ")]).toEqual([undefined, undefined]);
    prompt.close();
  });

  it("closes without having asked", () => expect(() => open().prompt.close()).not.toThrow());
});
