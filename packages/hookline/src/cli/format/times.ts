import { durationText } from "./amounts.js";

interface TimeOptions {
  readonly now?: number;
  /** Without milliseconds, and without the current year. */
  readonly isShort?: boolean;
}

/** A local time of day, with its date unless that is today: `14:03:07.512`, `2026-11-05 14:03:07.512`; short `14:03:07`, `05 Nov 14:03:07`. */
export function timeText(at: number, { now = Date.now(), isShort = false }: TimeOptions = {}): string {
  const [date, clock] = partsOf(at);
  const [today] = partsOf(now);
  const time = isShort ? clock.slice(0, 8) : clock;
  if (date === today) return time;
  const [year, month, day] = date.split("-");
  return `${isShort && year === today.slice(0, 4) ? `${day} ${MONTHS[Number(month) - 1]}` : date} ${time}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Always with its date, to the second. */
export function dateText(at: number): string {
  const [date, clock] = partsOf(at);
  return `${date} ${clock.slice(0, 8)}`;
}

/** How long ago if it was today, else when: `5 m 2 s ago`, `2026-11-11 14:03`. */
export function agoText(at: number, now = Date.now()): string {
  const [date, clock] = partsOf(at);
  return date === partsOf(now)[0] ? `${durationText(Math.max(0, now - at))} ago` : `${date} ${clock.slice(0, 5)}`;
}

/** In local time. Not `toLocaleString`, because its tables take 10 ms to load. */
function partsOf(at: number): readonly [date: string, clock: string] {
  const time = new Date(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
  return [date, `${clock}.${String(time.getMilliseconds()).padStart(3, "0")}`];
}
