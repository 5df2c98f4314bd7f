import type { FleetHost } from "../../api/answers.js";
import { inert } from "../../text/inert.js";

/** What the host says of itself. It may be anything. */
export function factOf({ presence }: FleetHost, name: string): string {
  const value = presence?.[name];
  return typeof value === "string" || typeof value === "number" ? inert(String(value)).slice(0, 60) : "–";
}
