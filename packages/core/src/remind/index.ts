export type { ReminderSpec } from "../catalog/reminder.js";
export { createReminderBook } from "./book.js";
export { provideReminders, type ReminderProvider } from "./provide-reminders.js";
export type {
  DropReason,
  ReminderBook,
  ReminderBookOptions,
  ReminderBookStats,
  ReminderChange,
  ReminderChangeName,
  ReminderContext,
  ReminderRecord,
  RenderOptions,
  SessionLike,
} from "./types.js";
