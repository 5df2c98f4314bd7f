const MAX_DETAIL = 120;
const MAX_READ = 2_000;
// As everywhere: what turns, hides or breaks a line. The joiners within emoji and scripts may stay.
const ACTIVE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The beginning of a text on one short line, on which nothing acts; nothing where there is none. */
export function shortDetail(text: string): string | undefined {
  const line = text.slice(0, MAX_READ).replace(/\s+/g, " ").trim();
  const short = line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL - 1)}…` : line;
  return short === "" ? undefined : short.replace(ACTIVE, "\ufffd");
}
