/** The ways in which a command or a URL can be spoken with; `extensions/command/dialects` has a file for each. */
export const dialectNames = ["own", "claude-code", "hermes", "codewhale", "harn"] as const;
export type DialectName = (typeof dialectNames)[number];
