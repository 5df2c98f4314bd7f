/** As far as a browser's clock can count. */
const LAST_MS = 8.64e15;
const two = (value: number): string => String(value).padStart(2, "0");

/** Times come from outside, too: an invalid one is shown as such. */
function isTime(at: unknown): at is number {
  return typeof at === "number" && Math.abs(at) <= LAST_MS;
}

/** The local day: times of another day are shown with their date. */
export function dayText(at: number): string {
  if (!isTime(at)) return NO_TIME;
  const time = new Date(at);
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** The local time of day, to the millisecond; with its date unless that is `today`. */
export function timeText(at: number, today: string): string {
  const date = dayText(at);
  return date === today || !isTime(at) ? clockText(at) : `${date} ${clockText(at)}`;
}

/** The same where there is little room: `5 Nov 14:03:07`, and `2025-11-05 14:03` for another year. */
export function shortTimeText(at: number, today: string): string {
  const date = dayText(at);
  if (date === today || !isTime(at)) return clockText(at);
  return isSameYear(date, today) ? `${shortDate(at)} ${secondsText(at)}` : `${date} ${secondsText(at).slice(0, 5)}`;
}

/** The day and the month: `5 Nov`. */
export function shortDate(at: number): string {
  return isTime(at) ? `${new Date(at).getDate()} ${MONTHS[new Date(at).getMonth()]}` : NO_TIME;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function isSameYear(date: string, today: string): boolean {
  return date.slice(0, 4) === today.slice(0, 4);
}

function clockText(at: number): string {
  return isTime(at) ? `${secondsText(at)}.${String(new Date(at).getMilliseconds()).padStart(3, "0")}` : NO_TIME;
}

/** The local time of day, to the second. */
export function secondsText(at: number): string {
  if (!isTime(at)) return NO_TIME;
  const time = new Date(at);
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** For the reader who wants to know exactly: local, with its offset, and UTC. */
export function exactText(at: number): string {
  if (!isTime(at)) return NO_TIME;
  const time = new Date(at);
  const offset = -time.getTimezoneOffset();
  const zone = `${offset < 0 ? "−" : "+"}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${dayText(at)} ${clockText(at)} ${zone} (${time.toISOString()})`;
}

/** For machines; undefined for an invalid time. */
export function isoText(at: number): string | undefined {
  return isTime(at) ? new Date(at).toISOString() : undefined;
}

/** How long ago, in one unit: now, 12 s ago, 5 min ago, 3 h ago. Of another day, when: 5 Nov 14:03, 2025-11-05 14:03. */
export function agoText(at: number, now: number): string {
  if (!isTime(at)) return NO_TIME;
  const [date, today] = [dayText(at), dayText(now)];
  if (date !== today) return `${isSameYear(date, today) ? shortDate(at) : date} ${secondsText(at).slice(0, 5)}`;
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  if (seconds < 2) return "now";
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min ago`;
  return `${Math.round(seconds / 3_600)} h ago`;
}

/** Minutes and seconds that are left. */
export function leftText(ms: number): string {
  if (!isTime(ms)) return NO_TIME;
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

const NO_TIME = "no time";
