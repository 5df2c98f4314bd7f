import { describe, expectTypeOf, it } from "vitest";
import type { ToolCall, ToolPayload } from "../catalog/payloads.js";
import type { Match } from "./compile.js";

interface Deployed {
  readonly version: string;
}

describe("Match", () => {
  it("types the payload of an untyped function", () => {
    const match: Match = (payload, value) => {
      expectTypeOf(payload.tool).toEqualTypeOf<ToolCall | undefined>();
      expectTypeOf(payload.prompt).toEqualTypeOf<string | undefined>();
      expectTypeOf(value).toEqualTypeOf<unknown>();
      return payload.tool?.name === "x";
    };
    expectTypeOf(match).toExtend<Match>();
  });

  it("takes functions typed on any payload", () => {
    const onTool: Match = (payload: ToolPayload) => payload.tool.name === "x";
    const onOwn: Match = (payload: Deployed, value: string) => payload.version === value;
    const onAnything: Match = (payload: unknown) => payload !== undefined;
    const onNothing: Match = () => true;
    expectTypeOf([onTool, onOwn, onAnything, onNothing]).toExtend<Match[]>();
  });

  it("refuses what compileMatch refuses", () => {
    // @ts-expect-error a misspelled key
    const key: Match = { tol: "x" };
    // @ts-expect-error a promise is not an answer
    const promise: Match = async () => true;
    // @ts-expect-error a list belongs into `tool`
    const list: Match = ["x"];
    // @ts-expect-error a number
    const number: Match = 3;
    expectTypeOf([key, promise, list, number]).toExtend<unknown[]>();
  });
});
