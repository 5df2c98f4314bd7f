import { createHash } from "node:crypto";
import { type Fields, fieldsOf } from "../protocol/message.js";
import type { Pin } from "./server-record.js";

/** The item of a server's instructions. No tool has this name: names have no spaces. */
export const INSTRUCTIONS = "the instructions";

/** What the model and the client read of a tool. A field that is added later, such as `_meta`, is for programs. */
export const PINNED_FIELDS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/** The pin of a tool as the server lists it. */
export function toolPin(tool: Fields): Pin {
  return pinOf(Object.fromEntries(PINNED_FIELDS.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]]))));
}

/** The pin of any JSON. The order of keys does not matter. */
export function pinOf(definition: unknown): Pin {
  return { hash: createHash("sha256").update(canonical(definition)).digest("hex"), definition };
}

/** Both as lines, to compare them. */
export function pinLines({ definition }: Pin): string {
  return typeof definition === "string" ? definition : JSON.stringify(sorted(definition), undefined, 2);
}

function canonical(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = fieldsOf(value);
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((key) => [key, sorted(fields[key])]),
  );
}
