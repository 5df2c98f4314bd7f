import { createBus, type PayloadOf } from "@hookline/core";
import { describe, expectTypeOf, it } from "vitest";

interface Deployed {
  readonly version: string;
  readonly at?: number;
}

// A namespace of this file alone: what is declared here is declared for every test.
declare module "@hookline/core" {
  interface EventPayloads {
    "merged:deployed": Deployed;
    "command:merged": { readonly flags: readonly string[] };
  }
}

const bus = createBus();

describe("a payload declared by a user", () => {
  it("is what handlers of the event get", () => {
    expectTypeOf<PayloadOf<"merged:deployed">>().toEqualTypeOf<Deployed>();
    bus.on("merged:deployed", ({ payload }) => expectTypeOf(payload).toEqualTypeOf<Deployed>());
    bus.on("command:merged", ({ payload }) => expectTypeOf(payload.flags).toEqualTypeOf<readonly string[]>());
  });

  it("is what emitting it takes", () => {
    bus.emit("merged:deployed", { version: "1" });
    bus.event("merged:deployed").emit({ version: "1", at: 3 });
    bus.decide("command:merged", { flags: [] });
    // @ts-expect-error a version is text
    bus.emit("merged:deployed", { version: 1 });
    // @ts-expect-error no version
    bus.emit("merged:deployed", {});
    // @ts-expect-error no such field
    bus.emitSync("merged:deployed", { version: "1", colour: "red" });
    // @ts-expect-error no flags
    bus.decide("command:merged", {});
  });

  it("leaves every other event as it was", () => {
    bus.emit("merged:other", { anything: 1 });
    // @ts-expect-error tool:before was meant
    bus.emit("tool:befor");
  });
});
