import { inertJson, inertText } from "@hookline/core/internal/text";
import type { CommandModule, FleetAuditEntry, FleetTools } from "hookline/internal/fleet";
import type { AdminChoice } from "../credentials/joined.js";
import { readAudit } from "../nats/audit.js";
import { adminOptions, personOf, withConnection } from "./context.js";

/** Signatures, keys, passkeys and digests, which tell a reader nothing. */
const HIDDEN = new Set(["person", "response", "proof", "enrolment", "signature", "id", "digest"]);

export function auditCommand(tools: FleetTools): CommandModule<AdminChoice & { readonly json?: boolean }> {
  const { examples, EXIT, format } = tools;
  return {
    define(command) {
      adminOptions(command, tools)
        .option("--json", "print JSON")
        .addHelpText("after", examples("hookline fleet audit", "hookline fleet audit --json"));
    },
    async run(terminal, { json = false, ...choice }) {
      const entries = await withConnection(personOf(terminal, choice), (connection) => readAudit(connection));
      if (json) terminal.print(inertJson(JSON.stringify(entries, undefined, 2)));
      else if (entries.length === 0) terminal.say("The audit is empty.");
      else
        for (const line of format.tableLines(["WHEN", "WHO", "DID", "TO", "MORE"], entries.map(auditRow), terminal.columns))
          terminal.print(line);
      return EXIT.ok;
    },
  };
}

/** An entry in words. What a credential wrote is shown as text that can do nothing to a terminal. */
export function auditRow({ at, kind, name, action, facts }: FleetAuditEntry): string[] {
  const details = Object(facts.details) as { readonly [field: string]: unknown };
  // A fleet hub writes what a person did in its dashboard.
  const writer = kind === "unknown" ? kind : `${kind} ${name}`;
  const who = typeof details.person === "string" ? `${details.person} at ${writer}` : writer;
  const more = Object.entries(details)
    .filter(([field, value]) => !HIDDEN.has(field) && !isEmpty(value))
    .map(([field, value]) => `${field} ${textOf(value)}`);
  const did = action.replaceAll("-", " ");
  return [at.replace(/\.\d+Z$/, "Z"), who, did, textOf(facts.subject ?? "-"), more.join(", ")].map(inertText);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === false || (typeof value === "object" && Object.keys(value).length === 0);
}

function textOf(value: unknown): string {
  if (value === true) return "yes";
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(" ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .filter(([, one]) => !isEmpty(one))
    .map(([key, one]) => (typeof one === "object" ? `${key} ${textOf(one)}` : `${key}=${textOf(one)}`))
    .join(" ");
}
