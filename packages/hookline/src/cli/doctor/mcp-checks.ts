import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readPrivateJson, stateFolder } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { agoText } from "../format/times.js";
import { type Check, ok, warn } from "./check.js";

/** The part of a record of `@hookline/mcp` that is shown here. */
interface McpRecord {
  readonly name: string;
  readonly changed: object;
  readonly faults: readonly { readonly at: string; readonly what: string }[];
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const mcpChecks: readonly Check[] = [
  {
    id: "mcp-servers",
    title: "MCP servers behind the rules did nothing wrong in the last day",
    fix: "hookline tail --no-follow --event 'mcp:*'",
    look({ env }) {
      const records = readRecords(join(stateFolder(env), "mcp"));
      const faults = records.flatMap(({ faults }) => faults).filter(({ at }) => Date.now() - Date.parse(at) < DAY_MS);
      if (faults.length === 0) return ok(`${records.length} known`);
      return warn(faults.map(({ at, what }) => `${agoText(Date.parse(at))}: ${inertText(what)}`).join("\n"));
    },
  },
  {
    id: "mcp-pins",
    title: "Descriptions of MCP tools are as they were accepted",
    fix: "hookline mcp pins",
    look({ env }) {
      const changed = readRecords(join(stateFolder(env), "mcp")).filter((record) => Object.keys(record.changed).length > 0);
      if (changed.length === 0) return ok("nothing has changed");
      return warn(
        changed.map(({ name, changed }) => `${inertText(name)} has changed ${Object.keys(changed).map(inertText).join(", ")}`).join("\n"),
      );
    },
  },
];

function readRecords(folder: string): readonly McpRecord[] {
  let files: string[] = [];
  try {
    files = readdirSync(folder);
  } catch {
    // No gateway ran yet.
  }
  return files
    .filter((file) => file.endsWith(".json"))
    .map((file) => readPrivateJson(folder, file))
    .filter(isRecord);
}

function isRecord(value: unknown): value is McpRecord {
  const { name, changed, faults } = Object(value) as { readonly [key: string]: unknown };
  return typeof name === "string" && typeof changed === "object" && changed !== null && Array.isArray(faults);
}
