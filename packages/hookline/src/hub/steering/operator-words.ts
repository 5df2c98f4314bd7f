import { HookError, type ReminderSpec, remind } from "@hookline/core";
import { inertLines, inertText } from "@hookline/core/internal/text";
import type { Telling } from "../effects/session-effects.js";
import { MAX_STEER_CHARS } from "../protocol.js";

const MAX_NAME = 200;

/** What an operator puts into a session. */
export interface Steer {
  readonly kind: "inject" | "remind";
  readonly text: string;
  /** Of a reminder: all but its body. */
  readonly reminder?: Omit<ReminderSpec, "body">;
  /** The next tool call or checkpoint is blocked, with the text as its reason. */
  readonly interrupt?: boolean;
  /** The author's name. */
  readonly by: string;
  readonly via: "cli" | "api" | "dashboard";
}

/** The same, as it is recorded and told. Throws `HL_BAD_REQUEST` or `HL_BAD_REMINDER`. */
export function checkSteer(steer: Steer): Steer {
  const { text, by, reminder } = steer;
  if (text.trim() === "") throw new HookError("HL_BAD_REQUEST", "The text is empty.");
  if (text.length > MAX_STEER_CHARS)
    throw new HookError(
      "HL_BAD_REQUEST",
      `The text has ${text.length} characters, and ${MAX_STEER_CHARS} are allowed. Put it into a file, and tell the agent to read that.`,
    );
  if (by.trim() === "" || by.length > MAX_NAME)
    throw new HookError("HL_BAD_REQUEST", `"by" must be a name of at most ${MAX_NAME} characters.`);
  if (Object.hasOwn(reminder ?? {}, "authority"))
    throw new HookError("HL_BAD_REMINDER", `The reminder's "authority" cannot be set: it is always the operator's.`);
  const { body, ...rest } = remind({ ...reminder, body: text }).value as ReminderSpec;
  return { ...steer, text: inertLines(body).trim(), by: inertText(by).trim(), ...(steer.kind === "remind" && { reminder: rest }) };
}

/** What the model is told: it must know that a person outside the conversation says this, and who. */
export function tellingOfSteer({ kind, text, reminder, interrupt, by }: Steer): Telling {
  const words = `Message from the operator (${by}), sent through Hookline:\n${text}`;
  if (kind === "inject") return { injections: [words], reminders: [], interrupt, by };
  return { injections: [], reminders: [{ ...reminder, body: words, authority: "operator" }], by };
}
