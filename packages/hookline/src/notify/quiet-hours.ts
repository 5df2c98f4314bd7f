/** The time of each day in which no message is sent. */
export interface QuietHours {
  /** Minutes since midnight. */
  readonly from: number;
  /** May be before `from`: then it is the next morning. */
  readonly to: number;
  /** Default: that of the machine. */
  readonly timeZone?: string;
}

const DAY = 24 * 60;

/** How long it is still quiet at this time, in milliseconds; 0 if it is not. Right to a minute, and to an hour on the day the clocks change. */
export function quietForMs({ from, to, timeZone }: QuietHours, nowMs: number): number {
  const now = minuteOf(nowMs, timeZone);
  const isQuiet = from <= to ? now >= from && now < to : now >= from || now < to;
  return isQuiet ? ((to - now + DAY) % DAY) * 60_000 - (nowMs % 60_000) : 0;
}

function minuteOf(ms: number, timeZone: string | undefined): number {
  const format = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(timeZone !== undefined && { timeZone }),
  });
  const [hour = "0", minute = "0"] = format.format(ms).split(":");
  return Number(hour) * 60 + Number(minute);
}

/** `"22:30"` as minutes since midnight. */
export function readTimeOfDay(text: string): number | undefined {
  const [, hour = "", minute = ""] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  return hour !== "" && Number(hour) < 24 && Number(minute) < 60 ? minutes : undefined;
}
