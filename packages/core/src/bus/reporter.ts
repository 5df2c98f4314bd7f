import { errorText, type HookError } from "../catalog/errors.js";
import { printable } from "../text/inert-text.js";

/** Receives the errors that the bus reports: the type of `bus.onError`. */
export type ErrorListener = (error: HookError) => void;

/** One line per culprit and this long, however often it fails. */
const QUIET_MS = 10_000;
const MAX_CULPRITS = 1_000;

/** The default `onError`: a line on stderr, at most one per culprit and 10 s, with the number it stands for. */
export function createStderrReporter(write: (line: string) => void = (line) => console.error(line)): ErrorListener {
  const lines = new Map<string, { quietUntil: number; suppressed: number }>();
  return (error) => {
    const key = `${error.code} ${error.event} ${error.owner} ${error.handler}`;
    const now = Date.now();
    const line = lines.get(key);
    if (line !== undefined && now < line.quietUntil) {
      line.suppressed++;
      return;
    }
    if (lines.size >= MAX_CULPRITS) lines.clear();
    lines.set(key, { quietUntil: now + QUIET_MS, suppressed: 0 });
    const more = line !== undefined && line.suppressed > 0 ? ` (${line.suppressed} more like this suppressed)` : "";
    // One line, whatever a handler threw: no line ends, no terminal codes, no text that runs backwards.
    write(printable(`hookline: ${error.code} ${errorText(error)}${error.note === undefined ? "" : ` ${error.note}`}${more}`));
  };
}
