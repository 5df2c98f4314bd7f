/** What stands in the place of a value that must not be seen. */
export function withheld(reason: string): string {
  return `[withheld: ${reason}]`;
}

/** The same for the value of an event. A process is started with an environment, so that stays one. */
export function withheldValue(event: string, reason: string): unknown {
  return event === "tool:env" ? { HOOKLINE_WITHHELD: withheld(reason) } : withheld(reason);
}
