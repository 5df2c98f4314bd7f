import { describe, expect, it } from "vitest";
import { nativePayload } from "../../../../../test/support/native-payloads.js";
import { agents } from "../../agents/agents.js";
import { isObject, type Json } from "../../agents/shared/native-payload.js";
import { unreadableIn } from "./call-fault.js";

// Unknown versions: fields that are gone, or have another type. No translation throws, and no call without a tool or an input passes.

/** Every way to spoil one field, on any level of the payload's own fields. */
function spoiled(payload: Json): { readonly how: string; readonly payload: Json }[] {
  return pathsIn(payload).flatMap((path) => [
    { how: `without ${path.join(".")}`, payload: without(payload, path) },
    ...[null, 7, true, "text", [], ["text"], {}, { unknown: {} }].map((value) => ({
      how: `${path.join(".")} = ${JSON.stringify(value)}`,
      payload: set(payload, path, value),
    })),
  ]);
}

function pathsIn(value: unknown, levels = 3): string[][] {
  if (!isObject(value) || levels === 0) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsIn(inner, levels - 1).map((path) => [key, ...path])]);
}

function set(root: Json, [key = "", ...rest]: readonly string[], value: unknown): Json {
  return { ...root, [key]: rest.length === 0 ? value : set(root[key] as Json, rest, value) };
}

function without(root: Json, [key = "", ...rest]: readonly string[]): Json {
  if (rest.length > 0) return { ...root, [key]: without(root[key] as Json, rest) };
  return Object.fromEntries(Object.entries(root).filter(([name]) => name !== key));
}

describe.each(agents)("$id", (agent) => {
  const natives = Object.entries(agent.events).filter(([, { leftAlone }]) => leftAlone === undefined);

  it.each(natives)("%s of an unknown version is translated, or refused for a reason", (native, { event, can }) => {
    const passing = spoiled(nativePayload(agent.id, native)).filter(({ payload }) => {
      const asked = agent.translate(native, payload);
      JSON.stringify(asked.payload);
      agent.reply(native, { ...DENY, payload: asked.payload }, asked);
      return unreadableIn(agent, native, asked) === undefined && lacks(event, asked.payload);
    });
    expect(can.includes("block") ? passing.map(({ how }) => how) : []).toEqual([]);
  });
});

/** What a guard of this event looks at is not there. */
function lacks(event: string, { tool, prompt }: Json): boolean {
  if (event === "prompt:submit") return typeof prompt !== "string";
  return event === "tool:before" && !(isObject(tool) && typeof tool.name === "string" && tool.name !== "" && isObject(tool.input));
}

const DENY = { verdict: "deny", reason: "no", modified: false, endLoop: false, injections: [], again: undefined } as const;
