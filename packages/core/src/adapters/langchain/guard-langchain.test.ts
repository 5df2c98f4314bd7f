import { expect, it } from "vitest";
import { createBus } from "../../bus/bus.js";
import { replace } from "../../catalog/outcomes.js";
import { guardLangChain } from "./guard-langchain.js";

// The SDK itself is driven by npm run test:sdks.
class ToolMessage {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}

it("gives the model the text of a hook in the place of a command that it replaced, and else the command", async () => {
  const bus = createBus();
  const command = { update: { messages: ["a secret"] } };
  const { wrapToolCall } = guardLangChain(bus, { ToolMessage });
  const run = () => wrapToolCall({ toolCall: { name: "hand_over", id: "c1", args: {} } }, () => command);
  expect(await run()).toBe(command);
  bus.on("tool:result", () => replace("[withheld]"));
  expect(await run()).toEqual(new ToolMessage({ content: "[withheld]", tool_call_id: "c1", name: "hand_over" }));
});

it("shows a closed guard what is in a command of the SDK's own class, and gives the graph the command itself", async () => {
  const bus = createBus({ onError: () => {} });
  class Command {
    readonly update: unknown;
    constructor(update: unknown) {
      this.update = update;
    }
  }
  const { wrapToolCall } = guardLangChain(bus, { ToolMessage });
  const run = (command: Command) => wrapToolCall({ toolCall: { name: "hand_over", id: "c1", args: {} } }, () => command);
  bus.on("tool:result", ({ value }) => (JSON.stringify(value).includes("secret") ? replace("[hidden]") : undefined), {
    onFailure: "closed",
  });
  const plain = new Command({ messages: ["hello"] });
  expect(await run(plain)).toBe(plain);
  expect(await run(new Command({ messages: ["a secret"] }))).toMatchObject({ content: "[hidden]" });
  expect(await run(new Command({ close: () => "a secret" }))).toMatchObject({ content: expect.stringMatching(/^\[withheld: /) });
});
