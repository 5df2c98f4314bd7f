import { readSettings } from "../install/json-document.js";
import type { OffSwitch } from "../shared/definition.js";
import { isObject } from "../shared/native-payload.js";
import { readSettingsText, rejectedFile } from "../shared/settings-files.js";
import { events } from "./events.js";

const FIELDS = ["hooks", "description"];
const TYPES = ["command", "mcp_tool", "prompt", "agent"];

/** A hooks.json that Codex drops whole, without a message, because it does not accept a value in it. */
export function hooksFileSwitch(path: string): OffSwitch {
  return rejectedFile(path, (text) => rejectedIn(readSettings(text)) !== undefined);
}

export function hooksFileFaults(path: string): readonly string[] {
  const name = rejectedIn(readSettings(readSettingsText(path).text));
  return name === undefined
    ? []
    : [`Codex does not accept "${name}" in ${path}: it runs none of the hooks in this file, and does not say so.`];
}

/** The first value of a hooks.json with which Codex 0.166.0 drops the file. Unknown events, and unknown fields of a hook, do no harm. */
function rejectedIn(settings: unknown): string | undefined {
  if (!isObject(settings)) return undefined;
  const field = Object.keys(settings).find((name) => !FIELDS.includes(name));
  if (field !== undefined) return field;
  const { hooks = {}, description = "" } = settings;
  if (description !== null && typeof description !== "string") return "description";
  if (!isObject(hooks)) return "hooks";
  const event = Object.keys(hooks).find((name) => Object.hasOwn(events, name) && !isListOf(hooks[name], isGroup));
  return event === undefined ? undefined : `hooks.${event}`;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isGroup(group: unknown): boolean {
  return isObject(group) && isTextOr(group.matcher) && (group.hooks === undefined || isListOf(group.hooks, isHandler));
}

function isHandler(handler: unknown): boolean {
  if (!isObject(handler) || !TYPES.some((type) => handler.type === type)) return false;
  const { type, command, timeout = null, async: isAsync = false, server, tool } = handler;
  if (type === "mcp_tool") return typeof server === "string" && typeof tool === "string";
  if (type !== "command") return true;
  const isTime = timeout === null || (typeof timeout === "number" && Number.isInteger(timeout) && timeout >= 0);
  const texts = [handler.statusMessage, handler.commandWindows];
  return typeof command === "string" && isTime && typeof isAsync === "boolean" && texts.every(isTextOr);
}

function isTextOr(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}
