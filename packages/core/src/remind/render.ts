import type { ReminderSpec } from "../catalog/reminder.js";
import type { ReminderRecord } from "./types.js";

/** One block, oldest reminder first: a new one is appended, so a prompt cache keeps everything before it. Holds nothing that counts or ages. */
export function renderReminders(records: readonly ReminderRecord[]): string {
  if (records.length === 0) return "";
  return `<reminders>\n${records.map(({ spec }) => renderOne(spec)).join("\n")}\n</reminders>`;
}

/** Every reminder has a role, so a host that renders role by role loses none. */
export function roleOf(spec: ReminderSpec): NonNullable<ReminderSpec["roleHint"]> {
  return spec.roleHint ?? "user_block";
}

function renderOne(spec: ReminderSpec): string {
  const authority = spec.authority === undefined ? "" : ` authority="${escapeAttribute(spec.authority)}"`;
  return `<reminder role="${roleOf(spec)}"${authority}>${escapeText(spec.body)}</reminder>`;
}

function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', "&quot;")
    .replace(/[\n\t]/g, " ");
}

function escapeText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(UNPRINTABLE, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

// Terminal escapes and lone surrogates: the first hide text from a reader of a log, the second make some model APIs refuse the whole request.
const UNPRINTABLE = /[^\P{Cc}\n\t]|\p{Cs}/gu;
