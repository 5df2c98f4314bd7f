import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replacePrivately } from "@hookline/core/internal/machine";
import type { AgentId } from "../shared/definition.js";
import type { FoundProgram } from "./find-program.js";

type Records = { readonly [agent in AgentId]?: FoundProgram };

const FILE = "programs.json";

/** Notes which program an agent was when it was attached, to notice when it is another. */
export function noteProgram(folder: string, agent: AgentId, found: FoundProgram | undefined): void {
  const { [agent]: _, ...others } = readPrograms(folder);
  const records = found === undefined ? others : { ...others, [agent]: found };
  replacePrivately(folder, FILE, `${JSON.stringify(records, undefined, 2)}\n`);
}

/** Only a comparison hangs on it: what cannot be read is nothing. */
export function readPrograms(folder: string): Records {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, FILE), "utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
