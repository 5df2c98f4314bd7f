import { describe, expect, it } from "vitest";
import { createBus } from "../bus/bus.js";
import { catalog, families } from "./events.js";
import { samplePayload, samplePayloads, sampleValues } from "./samples.js";

describe("sample payloads", () => {
  it("are there for every event of the catalogue, and for no other", () => {
    expect(Object.keys(samplePayloads).sort()).toEqual(Object.keys(catalog).sort());
    const transforms = Object.entries(catalog).filter(([, { kind }]) => kind === "transform");
    expect(Object.keys(sampleValues).sort()).toEqual(transforms.map(([name]) => name).sort());
  });

  it("are found by any spelling, and made for families and events of one's own", () => {
    expect(samplePayload("PreToolUse")).toBe(samplePayloads["tool:before"]);
    for (const namespace of Object.keys(families)) expect(samplePayload(`${namespace}:x`)).toBeTypeOf("object");
    expect(samplePayload("command:deploy")).toMatchObject({ command: "deploy" });
    expect(samplePayload("myapp:deployed")).toHaveProperty("session");
  });

  it.each(Object.entries(samplePayloads))("%s goes through the bus and into JSON as it is", async (name, payload) => {
    const bus = createBus({ onAsk: "return" });
    const seen: unknown[] = [];
    bus.on(name as "agent:start", (event) => void seen.push(event.payload));
    await bus.emit(name as "agent:start", payload);
    expect(seen).toEqual([payload]);
    expect(JSON.parse(JSON.stringify(payload))).toEqual(payload);
  });
});
