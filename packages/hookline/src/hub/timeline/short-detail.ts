import { inertText } from "@hookline/core/internal/text";

const MAX_DETAIL = 120;
const MAX_READ = 2_000;
/** As most are: words of ASCII, with one space between them. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** The beginning of a text on one short line, on which nothing acts; nothing where there is none. */
export function shortDetail(text: string): string | undefined {
  const begun = text.slice(0, MAX_READ);
  const line = PLAIN.test(begun) ? begun : inertText(begun.replace(/\s+/g, " ").trim());
  const short = line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL - 1)}…` : line;
  return short === "" ? undefined : short;
}
