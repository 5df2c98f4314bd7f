import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CliHome } from "./cli-home.ts";

/** Asks the hub of this home about a shell command, as an agent does, and waits for the answer of a person if there must be one. */
export async function decideWaiting({ state }: CliHome, command: string): Promise<unknown> {
  const { url, token } = JSON.parse(readFileSync(join(state, "hub.json"), "utf8"));
  const answer = await fetch(`${url}/api/decide`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ event: "tool:before", payload: { tool: { name: "Bash", input: { command } } }, wait: true }),
  });
  return answer.json();
}
