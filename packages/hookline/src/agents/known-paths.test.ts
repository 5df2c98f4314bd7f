import { readFileSync } from "node:fs";
import { findEvent } from "@hookline/core";
import { checkPath, samplePayloads } from "@hookline/core/internal";
import { describe, expect, it } from "vitest";
import { translate as antigravity } from "./antigravity/translate.js";
import { translate as claudeCode } from "./claude-code/translate.js";
import { translate as cline } from "./cline/translate.js";
import { translate as codex } from "./codex/translate.js";
import { translate as copilot } from "./copilot/translate.js";
import { translate as cursor } from "./cursor/translate.js";
import { translate as gemini } from "./gemini/translate.js";
import { translate as goose } from "./goose/translate.js";
import { translate as hermes } from "./hermes/translate.js";
import { translate as kimi } from "./kimi/translate.js";
import { translate as kiro } from "./kiro/translate.js";
import { translate as openCode } from "./opencode/translate.js";
import { translate as pi } from "./pi/translate.js";
import { translate as qwen } from "./qwen/translate.js";
import { translate as windsurf } from "./windsurf/translate.js";

type Json = { readonly [key: string]: unknown };

const agents = {
  "claude-code": [claudeCode, ["captured", "from-schema"]],
  cline: [cline, ["captured"]],
  codex: [codex, ["captured"]],
  copilot: [copilot, ["camel-case", "pascal-case"]],
  gemini: [gemini, ["payloads"]],
  opencode: [openCode, ["captured"]],
  pi: [pi, ["captured"]],
  goose: [goose, ["captured"]],
  kimi: [kimi, ["captured"]],
  qwen: [qwen, ["captured"]],
  cursor: [cursor, ["documented"]],
  antigravity: [antigravity, ["documented"]],
  hermes: [hermes, ["documented"]],
  windsurf: [windsurf, ["documented"]],
  kiro: [kiro, ["documented"]],
} as const;

/** Every path that has a value, down to the parts that are the tool's or the agent's own. */
function pathsOf(payload: Json, above: readonly string[] = []): string[] {
  return Object.entries(payload).flatMap(([key, value]) => {
    const path = [...above, key];
    const isPart = typeof value === "object" && value !== null && !Array.isArray(value) && above.length === 0;
    return isPart && key !== "raw" ? [path.join("."), ...pathsOf(value as Json, path)] : [path.join(".")];
  });
}

function unknownIn(event: string, payload: Json): string[] {
  return pathsOf(payload).filter((path) => checkPath(path, [event]) !== undefined);
}

describe("what agents send can be matched", () => {
  for (const [agent, [translate, files]] of Object.entries(agents))
    it(agent, () => {
      for (const file of files) {
        const fixtures = JSON.parse(readFileSync(new URL(`./${agent}/fixtures/${file}.json`, import.meta.url), "utf8")) as Json;
        for (const [name, native] of Object.entries(fixtures)) {
          const { event, payload } = translate(name, native);
          // A custom event of the agent: its fields are not known.
          if (findEvent(event)?.spec.permission === "custom.observe") continue;
          expect([event, unknownIn(event, payload)]).toEqual([event, []]);
        }
      }
    });

  it("samples", () => {
    for (const [event, payload] of Object.entries(samplePayloads)) expect([event, unknownIn(event, payload)]).toEqual([event, []]);
  });
});
