/** As far as a browser's clock can count. */
const LAST_MS = 8.64e15;
const two = (value: number): string => String(value).padStart(2, "0");

/** Times come from others, too: whatever is none is said to be none. */
function isTime(at: unknown): at is number {
  return typeof at === "number" && Math.abs(at) <= LAST_MS;
}

/** The local time of day, to the millisecond. */
export function clockText(at: number): string {
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
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clockText(at)} ${zone} (${time.toISOString()})`;
}

/** For machines; undefined for what is no time. */
export function isoText(at: number): string | undefined {
  return isTime(at) ? new Date(at).toISOString() : undefined;
}

/** How long ago, in one unit: now, 12 s ago, 5 min ago, 3 h ago, 2 d ago. */
export function agoText(at: number, now: number): string {
  if (!isTime(at)) return NO_TIME;
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  if (seconds < 2) return "now";
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 129_600 ? `${Math.round(seconds / 3_600)} h ago` : `${Math.round(seconds / 86_400)} d ago`;
}

/** Minutes and seconds that are left. */
export function leftText(ms: number): string {
  if (!isTime(ms)) return NO_TIME;
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

const NO_TIME = "no time";
