import { join } from "node:path";
import type { Crew } from "./processes.ts";

/** Gives the hub a closed guard that writes down each call before it answers, and denies those that are forbidden. */
export function configureGuard(crew: Crew, timeoutMs: number): string {
  const log = join(crew.folder, "guard.log");
  const module = `
import { appendFileSync } from "node:fs";
export function handle(event) {
  const { command } = event.payload.tool.input;
  appendFileSync(${JSON.stringify(log)}, command + "\\n");
  return command.startsWith("forbidden") ? { decision: "deny", reason: "forbidden" } : undefined;
}
`;
  const toml = `[[hook]]\nname = "guard"\nmodule = "./guard.mjs"\nevent = "tool:before"\nonFailure = "closed"\ntimeoutMs = ${timeoutMs}\n`;
  crew.configure(toml, { "guard.mjs": module });
  return log;
}
