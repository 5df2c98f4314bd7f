import { type Fields, isFields, textAt } from "../../text/fields.js";
import { jsonText } from "../../text/foreign.js";

/** What a person edits of a call: its command where it has one, else its input, else all of it. */
export interface EditDraft {
  readonly kind: "command" | "input" | "payload";
  readonly text: string;
}

export function toDraft(payload: unknown): EditDraft {
  const command = textAt(payload, "tool", "input", "command");
  if (command !== undefined) return { kind: "command", text: command };
  const tool = isFields(payload) && isFields(payload.tool) ? payload.tool : undefined;
  return tool === undefined ? { kind: "payload", text: pretty(payload) } : { kind: "input", text: pretty(tool.input ?? {}) };
}

/** The payload with the edit in it, or what is wrong with the edit. */
export function readDraft({ kind, text }: EditDraft, payload: unknown): { readonly payload: unknown } | { readonly problem: string } {
  if (kind === "command") return { payload: withInput(payload, { ...inputOf(payload), command: text }) };
  try {
    const value: unknown = JSON.parse(text);
    return { payload: kind === "input" ? withInput(payload, value) : value };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "This is not JSON." };
  }
}

function inputOf(payload: unknown): Fields {
  const tool = isFields(payload) && isFields(payload.tool) ? payload.tool : {};
  return isFields(tool.input) ? tool.input : {};
}

function withInput(payload: unknown, input: unknown): unknown {
  if (!isFields(payload) || !isFields(payload.tool)) return payload;
  return { ...payload, tool: { ...payload.tool, input } };
}

function pretty(value: unknown): string {
  return jsonText(value, 2);
}
