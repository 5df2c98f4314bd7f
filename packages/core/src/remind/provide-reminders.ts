import type { Bus } from "../bus/bus.js";
import { callIdOf } from "../bus/event.js";
import { callback, checkOptions, type Rules, text } from "../bus/option-rules.js";
import type { Off } from "../bus/register.js";
import type { HookEvent } from "../bus/types.js";
import { HookError } from "../catalog/errors.js";
import { providerEvents } from "../catalog/events.js";
import { findEvent } from "../catalog/names.js";
import type { ReminderSpec } from "../catalog/reminder.js";
import { didYouMean } from "../text/did-you-mean.js";
import type { ReminderBook } from "./types.js";

const MAX_PROVIDERS = 8;
/** What one provider may leave at one event. */
const MAX_REMINDERS = 8;

type Provided = ReminderSpec | readonly ReminderSpec[] | null | undefined;

/** Writes reminders from what the agent is doing. */
export interface ReminderProvider {
  readonly name: string;
  /** Where it is asked: provider events, in any spelling. Default: all of them. */
  readonly events?: readonly string[];
  /** How long it may take. Default: the bus's `timeoutMs`. */
  readonly timeoutMs?: number;
  provide(event: HookEvent): Provided | Promise<Provided>;
}

const counts = new WeakMap<Bus, number>();

/** Asks a provider at the provider events and puts what it says into the book. Returns how to remove it. */
export function provideReminders(bus: Bus, book: ReminderBook, given: ReminderProvider): Off {
  const { name, events = providerEvents, timeoutMs, provide } = checkOptions("provideReminders", given, rules);
  const asked = [...new Set(events.map(providerEvent))];
  const count = counts.get(bus) ?? 0;
  if (count >= MAX_PROVIDERS)
    throw new HookError(
      "HL_LIMIT",
      `A bus has at most ${MAX_PROVIDERS} reminder providers: "${name}" is one too many. Remove another first.`,
    );

  async function evaluate(event: HookEvent): Promise<void> {
    try {
      const reminders = [(await provide.call(given, event)) ?? []].flat() as ReminderSpec[];
      if (reminders.length > MAX_REMINDERS)
        throw new HookError("HL_LIMIT", `The provider "${name}" left ${reminders.length} reminders at once: ${MAX_REMINDERS} at most.`);
      for (const reminder of reminders)
        book.add(reminder, { session: event.session, by: name, event: placeOf(event), callId: callIdOf(event.payload) });
      tell(event, { reminders: reminders.length });
    } catch (error) {
      tell(event, { reminders: 0, error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }
  function tell({ name: at, session, payload }: HookEvent, result: { readonly reminders: number; readonly error?: string }): void {
    const callId = callIdOf(payload);
    const about = { ...(session !== undefined && { session }), ...(callId !== undefined && { callId }) };
    bus.emitSync("reminder:provider_evaluated", { provider: name, event: at, ...result, ...about });
  }

  const options = { name: `provider:${name}`, stage: "observe", ...(timeoutMs !== undefined && { timeoutMs }) } as const;
  const offs: Off[] = [];
  let isOn = true;
  const remove = (): void => {
    if (!isOn) return;
    isOn = false;
    for (const off of offs) off();
    counts.set(bus, (counts.get(bus) ?? 1) - 1);
  };
  counts.set(bus, count + 1);
  try {
    for (const event of asked) offs.push(bus.on(event, evaluate, options));
  } catch (error) {
    remove();
    throw error;
  }
  return Object.assign(remove, { [Symbol.dispose]: remove });
}

/** A `worker:*` event has no place for a reminder, so the reminder belongs to the session alone. */
function placeOf({ name }: HookEvent): string | undefined {
  return name.startsWith("worker:") ? undefined : name;
}

function providerEvent(written: string): string {
  const name = findEvent(written)?.name;
  if (name !== undefined && providerEvents.includes(name)) return name;
  throw new HookError("HL_BAD_OPTION", `provideReminders: "${written}" is not a provider event.${didYouMean(written, providerEvents)}`, {
    event: written,
  });
}

const rules: Rules<ReminderProvider> = {
  name: text,
  events: { accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"), wants: "a list of event names" },
  timeoutMs: { accepts: (value) => typeof value === "number" && value > 0, wants: "a number of milliseconds above 0" },
  provide: callback,
};
